"""Factories with out=: dtype and device are those of `out`, and options that contradict it are refused, as in torch."""

import pytest
from beside import outcome

CALLS = ["zeros(3", "ones(3", "full((3,), 2", "arange(3", "arange(0, 6, 2", "linspace(0, 1, 3", "rand(3", "randn(3"]
CALLS += ["randint(5, (3,)", "randperm(3", "eye(2"]
WAYS = {
    "another dtype": "out=torch.zeros(2, dtype=torch.int64)",
    "no elements": "out=torch.zeros(0, dtype=torch.float64)",
    "dtype that contradicts": "out=torch.zeros(0), dtype=torch.int64",
    "dtype that agrees": "out=torch.zeros(0), dtype=torch.float32",
    "layout": "out=torch.zeros(0), layout=torch.sparse_coo",
    "device": "out=torch.zeros(0), device='meta'",
    "meta": "out=torch.zeros(0, device='meta')",
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("call", CALLS)
def test_a_factory_writes_to_out_as_in_torch(mt, oracle, call, way):
    expression = f"(torch.manual_seed(0), torch.{call}, {WAYS[way]}))[1]"
    assert outcome(mt, expression) == outcome(oracle, expression)


@pytest.mark.parametrize(
    "expression",
    [
        "torch.arange(6, out=torch.zeros(2, 3))",
        "torch.empty(3, out=torch.zeros(2)).shape",
        "torch.empty(2, 2, 2, 2, out=torch.zeros(0), memory_format=torch.channels_last)",
        "torch.zeros(3, out=torch.zeros(2), requires_grad=True)",
        "torch.linspace(torch.tensor(1.0), torch.tensor(3), 5)",
        "torch.linspace(1, torch.tensor(3j), 3)",
        "torch.linspace(torch.ones(1), torch.ones(1, 1), 3)",
        "torch.linspace(0, torch.ones(2, 2), 3)",
        "torch.rand_like(torch.ones(2), generator=torch.Generator().manual_seed(0))",
        "torch.randn_like(torch.ones(2), generator=torch.Generator().manual_seed(0))",
        "torch.randint_like(torch.ones(2), torch.tensor(5), generator=torch.Generator().manual_seed(0))",
        "torch.randint_like(torch.ones(2), 2, 7, generator=torch.Generator().manual_seed(0))",
        "torch.randint_like(torch.ones(2), torch.tensor([5, 2]))",
    ],
)
def test_calls_that_torch_has_beside_them(mt, oracle, expression):
    assert outcome(mt, expression) == outcome(oracle, expression)
