"""torch.nn.utils._per_sample_grad matches real torch and single samples."""

import mindtorch
import pytest
import torch
from mindtorch.nn.utils._expanded_weights import ExpandedWeight as Ours
from mindtorch.nn.utils._per_sample_grad import call_for_per_sample_grads as ours
from outcomes import outcome
from torch.nn.utils._expanded_weights import ExpandedWeight as Theirs
from torch.nn.utils._per_sample_grad import call_for_per_sample_grads as theirs

# How to make a module, and the shape of a batch of 4.
MODULES = {
    "linear": (lambda nn: nn.Linear(5, 3), (4, 5)),
    "linear of rows": (lambda nn: nn.Linear(5, 3, bias=False), (4, 2, 3, 5)),
    "conv1d": (lambda nn: nn.Conv1d(2, 4, 3, padding="same", groups=2), (4, 2, 9)),
    "conv2d": (lambda nn: nn.Conv2d(2, 3, (3, 2), stride=2, dilation=(1, 2), padding=1), (4, 2, 7, 8)),
    "conv2d, circular": (lambda nn: nn.Conv2d(2, 3, 3, padding=1, padding_mode="circular", bias=False), (4, 2, 5, 5)),
    "conv3d": (lambda nn: nn.Conv3d(1, 2, 2), (4, 1, 3, 4, 3)),
    "group norm": (lambda nn: nn.GroupNorm(2, 6), (4, 6, 3)),
    "instance norm": (lambda nn: nn.InstanceNorm2d(3, affine=True), (4, 3, 4, 2)),
    "instance norm with statistics": (
        lambda nn: nn.InstanceNorm1d(3, affine=True, track_running_stats=True),
        (4, 3, 5),
    ),
    "layer norm": (lambda nn: nn.LayerNorm((3, 5)), (4, 2, 3, 5)),
    "several": (lambda nn: nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.Flatten(), nn.Linear(8, 3)), (4, 1, 4, 4)),
}


def compute_per_sample_grads(library, call, make, batch, reduction):
    module = make(library.nn).double()
    with library.no_grad():
        for i, parameter in enumerate(module.parameters()):
            parameter.copy_(library.arange(parameter.numel(), dtype=library.float64).reshape(parameter.shape).sin() + i)
    batch = library.tensor(batch.tolist(), dtype=library.float64, requires_grad=True)
    result = call(module, batch_size=4, loss_reduction=reduction)(batch)
    ((result**2).sum() if reduction == "sum" else (result**2).flatten(1).sum(1).mean()).backward()
    assert all(parameter.grad is None for parameter in module.parameters())
    state = {name: buffer.tolist() for name, buffer in module.named_buffers()}
    return result, batch.grad, [parameter.grad_sample for parameter in module.parameters()], state


@pytest.mark.parametrize("reduction", ["sum", "mean"])
@pytest.mark.parametrize("name", MODULES)
def test_per_sample_gradients_match_torch(name, reduction):
    make, shape = MODULES[name]
    batch = torch.linspace(-2, 3, torch.Size(shape).numel(), dtype=torch.float64).cos().reshape(shape)
    mine, real = (
        compute_per_sample_grads(mindtorch, ours, make, batch, reduction),
        compute_per_sample_grads(torch, theirs, make, batch, reduction),
    )
    for got, expected in zip((*mine[:2], *mine[2]), (*real[:2], *real[2]), strict=True):
        values = torch.tensor(got.tolist(), dtype=torch.float64)
        torch.testing.assert_close(values, expected.detach(), rtol=1e-10, atol=1e-10)
    assert mine[3] == {key: pytest.approx(values) for key, values in real[3].items()}


def test_rows_of_an_embedding_are_counted_in_each_sample():
    table = mindtorch.nn.Embedding(6, 3, padding_idx=1)
    ours(table)(mindtorch.tensor([[0, 1, 0], [5, 5, 2]])).sum().backward()
    counts = mindtorch.tensor([[2, 0, 0, 0, 0, 0], [0, 0, 1, 0, 0, 2]])  # row 1 is padding
    assert mindtorch.equal(table.weight.grad_sample, counts[..., None].expand(2, 6, 3).float())


def test_a_weight_that_is_used_twice_adds_up():
    layer, other = mindtorch.nn.Linear(2, 2, bias=False), mindtorch.nn.Linear(2, 2, bias=False)
    with mindtorch.no_grad():
        layer.weight.copy_(mindtorch.eye(2))
    other.weight = layer.weight
    twice = mindtorch.nn.Sequential(layer, other)
    batch = mindtorch.tensor([[1.0, 2.0], [3.0, 4.0]])
    ours(twice)(batch).sum().backward()
    # d sum(W W x) / dW = 1 (W x)^T + W^T 1 x^T, and W is the identity.
    expected = mindtorch.stack([2 * mindtorch.ones(2, 1) @ x[None] for x in batch])
    assert mindtorch.equal(layer.weight.grad_sample, expected)


def test_frozen_parameters_collect_nothing():
    layer = mindtorch.nn.Linear(2, 2)
    layer.bias.requires_grad_(False)
    ours(layer)(mindtorch.ones(3, 2)).sum().backward()
    assert layer.weight.grad_sample.shape == (3, 2, 2)
    assert not hasattr(layer.bias, "grad_sample")


CALLS = {
    "no module": lambda lib, call, kind: call(lib.relu),
    "a batch size of 0": lambda lib, call, kind: call(lib.nn.Linear(2, 2), batch_size=0),
    "a batch size that is a float": lambda lib, call, kind: call(lib.nn.Linear(2, 2), batch_size=2.0),
    "another reduction": lambda lib, call, kind: call(lib.nn.Linear(2, 2), loss_reduction="none"),
    "no tensors": lambda lib, call, kind: call(lib.nn.Identity())(3),
    "tensors of two sizes": lambda lib, call, kind: call(lib.nn.Bilinear(2, 2, 1))(lib.ones(2, 2), lib.ones(3, 2)),
    "a vector": lambda lib, call, kind: call(lib.nn.Linear(2, 2))(lib.ones(2)),
    "another batch size": lambda lib, call, kind: call(lib.nn.Linear(2, 2), batch_size=3)(lib.ones(2, 2)),
    "no batch": lambda lib, call, kind: call(lib.nn.Linear(2, 2), batch_size=3)(lib.ones(0, 2)),
    "an image alone": lambda lib, call, kind: call(lib.nn.Conv2d(2, 2, 1), batch_size=2)(lib.ones(2, 3, 3)),
    "indices alone": lambda lib, call, kind: call(lib.nn.Embedding(2, 2))(lib.tensor([1, 0])),
    "a norm over the batch": lambda lib, call, kind: call(lib.nn.LayerNorm([2, 2]))(lib.ones(2, 2)),
    "a function without a rule": lambda lib, call, kind: call(lib.nn.Bilinear(2, 2, 1))(lib.ones(2, 2), lib.ones(2, 2)),
    "no tensor": lambda lib, call, kind: kind(3, 2, "sum"),
    "a constant": lambda lib, call, kind: kind(lib.ones(2), 2, "sum"),
    "two reductions": lambda lib, call, kind: lib.nn.functional.linear(
        lib.ones(2, 2),
        kind(lib.ones(2, 2, requires_grad=True), 2, "sum"),
        kind(lib.ones(2, requires_grad=True), 2, "mean"),
    ),
    "a parameter beside weights": lambda lib, call, kind: (
        lib.nn.functional.linear(
            lib.ones(2, 2), kind(lib.ones(2, 2, requires_grad=True), 2, "sum"), lib.ones(2, requires_grad=True)
        )
        .sum()
        .backward()
    ),
    "a weight as the batch": lambda lib, call, kind: lib.nn.functional.linear(
        kind(lib.ones(2, 2, requires_grad=True), 2, "sum"), lib.ones(2, 2)
    ),
}


@pytest.mark.parametrize("name", CALLS)
def test_errors_are_torchs(name):
    mine = outcome(lambda lib: CALLS[name](lib, ours, Ours), mindtorch)
    assert mine == outcome(lambda lib: CALLS[name](lib, theirs, Theirs), torch)
    assert "Error" in str(mine)


def test_gradients_left_from_before_are_refused():
    def run_twice(library, call):
        module = library.nn.Linear(1, 1, bias=False)
        with library.no_grad():
            module.weight.fill_(2)
        call(module)(library.ones(2, 1)).sum().backward()
        return call(module)

    mine = outcome(lambda lib: run_twice(lib, ours), mindtorch)
    assert mine == outcome(lambda lib: run_twice(lib, theirs), torch)
    assert "clear out the grad_sample" in str(mine)
