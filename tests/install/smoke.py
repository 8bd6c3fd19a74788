"""Checks that run with every package: compute, differentiate, factorise, use threads, save and load."""

import io

import mindtorch

mindtorch.install()
import torch  # noqa: E402

assert torch.__version__.endswith("+mindtorch"), torch.__version__

# The expected numbers are those that torch 2.13.0 generates after the same seed.
torch.manual_seed(7)
assert torch.allclose(torch.randn(2), torch.tensor([-0.1468, 0.7861]), atol=1e-4)

a = torch.randn(40, 40)
weight = torch.nn.Linear(40, 2).weight
(weight @ a).sum().backward()
assert torch.allclose(weight.grad, a.sum(1).expand(2, 40), atol=1e-4)

# Tests that the package finds LAPACK, which it does not include.
spd = a @ a.mT + torch.eye(40)
factor = torch.linalg.cholesky(spd)
assert torch.allclose(factor @ factor.mT, spd, atol=1e-3)

large = torch.ones(1_000_000)
assert large.sum().item() == 1_000_000 and torch.get_num_threads() >= 1

image, kernel = torch.ones(1, 1, 5, 5, dtype=torch.bfloat16), torch.ones(1, 1, 3, 3, dtype=torch.bfloat16)
assert torch.nn.functional.conv2d(image, kernel).unique().tolist() == [9.0]
assert torch.fft.fft(torch.arange(4.0)).tolist() == [6, -2 + 2j, -2, -2 - 2j]
assert torch.tensor([3, 1, 2]).sort().indices.tolist() == [1, 2, 0]

file = io.BytesIO()
torch.save({"a": a}, file)
file.seek(0)
assert torch.equal(torch.load(file)["a"], a)

from mindtorch import capi  # noqa: E402

assert capi.mt_version() == torch.version.mindtorch
print(torch.__version__, torch.version.mindtorch, torch.backends.cpu.get_cpu_capability())
