"""One call of each family with external dependencies: a BLAS, threads, shared memory, processes, files.

usage: families.py [--threads N]   N: the expected size of the thread pool
"""

import os
import sys
import tempfile

import torch
from torch.utils.data import DataLoader, TensorDataset

CHECKS = []


def register_check(function):
    CHECKS.append(function)
    return function


def assert_near(a, b):
    assert torch.allclose(a, b, atol=1e-4), (a - b).abs().max()


@register_check
def check_import_is_mindtorch():
    assert torch.__version__ == "2.13.0+mindtorch", torch.__version__


@register_check
def check_factorisations():
    torch.manual_seed(1)
    a = torch.randn(6, 4)
    u, s, vh = torch.linalg.svd(a, full_matrices=False)
    assert_near(u * s @ vh, a)
    q, r = torch.linalg.qr(a)
    assert_near(q @ r, a)
    square = a.T @ a + torch.eye(4)
    factor = torch.linalg.cholesky(square)
    assert_near(factor @ factor.T, square)
    values, vectors = torch.linalg.eigh(square)
    assert_near(vectors * values @ vectors.T, square)
    assert_near(square @ torch.linalg.solve(square, a.T), a.T)
    assert_near(torch.linalg.inv(square) @ square, torch.eye(4))
    assert_near(torch.linalg.lstsq(a, a @ square).solution, square)
    assert torch.linalg.eigvals(square).is_complex()


@register_check
def check_use_of_factorisations():
    weight = torch.nn.init.orthogonal_(torch.empty(8, 8))
    assert_near(weight @ weight.T, torch.eye(8))
    normal = torch.distributions.MultivariateNormal(torch.zeros(3), covariance_matrix=2 * torch.eye(3))
    assert_near(normal.log_prob(torch.zeros(3)), torch.tensor(-3.7965364))  # -1.5 log(4 pi)


@register_check
def check_products_and_threads():
    a = torch.arange(1 << 20, dtype=torch.float64)
    assert (a + 1).sum().item() == (1 << 20) * ((1 << 20) + 1) / 2
    assert_near(torch.ones(300, 200) @ torch.ones(200, 100), torch.full((300, 100), 200.0))
    if "--threads" in sys.argv:
        wanted = int(sys.argv[sys.argv.index("--threads") + 1])
        assert torch.get_num_threads() == wanted, f"{torch.get_num_threads()} threads, wanted {wanted}"


@register_check
def check_fft_round_trip():
    x = torch.randn(100)
    assert_near(torch.fft.irfft(torch.fft.rfft(x), n=100), x)


@register_check
def check_shared_memory():
    assert torch.ones(10).share_memory_().is_shared()


@register_check
def check_loader_workers():
    loader = DataLoader(TensorDataset(torch.arange(100)), batch_size=10, num_workers=2)
    assert sum(int(batch.sum()) for (batch,) in loader) == 4950


def fill_element_in_process(index, tensor):
    tensor[index] = index + 1


@register_check
def check_spawned_processes():
    tensor = torch.zeros(2).share_memory_()
    torch.multiprocessing.spawn(fill_element_in_process, args=(tensor,), nprocs=2)
    assert tensor.tolist() == [1, 2]


@register_check
def check_saving_and_loading():
    with tempfile.TemporaryDirectory() as folder:
        model = torch.nn.Linear(3, 2)
        path = os.path.join(folder, "größe.pt")
        torch.save(model.state_dict(), path)
        assert_near(torch.load(path)["weight"], model.weight)


@register_check
def check_numpy_is_optional():
    try:
        import numpy
    except ImportError:
        return
    assert torch.from_numpy(numpy.ones(3)).tolist() == [1, 1, 1]


def main():
    failed = 0
    for check in CHECKS:
        try:
            check()
        except Exception as error:
            failed += 1
            print(f"FAILED {check.__name__}: {type(error).__name__}: {error}")
        else:
            print(f"ok {check.__name__}")
    return failed


if __name__ == "__main__":
    sys.exit(main() != 0)
