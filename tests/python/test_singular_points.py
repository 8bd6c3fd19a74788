"""Values and derivatives where a formula is singular, and counts that a dtype cannot hold: as real torch has them."""

import pytest
from outcomes import outcome

POINTS = [0.0, -0.0, 1.0, -1.0, 2.0, -0.5, float("inf"), float("-inf"), float("nan"), 1e-30]


def derivatives(torch, function, *values):
    """The result, its gradients and their gradients, as texts, so that NaN equals NaN and -0 does not equal 0."""
    leaves = [torch.tensor(v, dtype=torch.float64, requires_grad=True) for v in values]
    result = function(torch)(*leaves)
    first = torch.autograd.grad(result.sum(), leaves, create_graph=True)
    second = torch.autograd.grad(sum(g.sum() for g in first), leaves)
    return [str(t.tolist()) for t in (result, *first, *second)]


def test_atan2_has_gradient_zero_at_the_origin(mt, oracle):
    y = [0.0, -0.0, 0.0, -0.0, 1.0, -2.0]
    x = [0.0, 0.0, -0.0, -0.0, 0.0, -1.0]
    found = derivatives(mt, lambda torch: torch.atan2, y, x)
    assert found == derivatives(oracle, lambda torch: torch.atan2, y, x)
    assert found[1] == "[0.0, 0.0, -0.0, -0.0, 0.0, -0.2]"


def test_entr_has_no_gradient_below_zero(mt, oracle):
    found = derivatives(mt, lambda torch: torch.special.entr, POINTS)
    assert found == derivatives(oracle, lambda torch: torch.special.entr, POINTS)


@pytest.mark.parametrize("exponent", [-2, -0.5, 0.5, -1, 3])
def test_powers_of_signed_zeros_and_infinities(mt, oracle, exponent):
    def run(torch):
        return lambda x: torch.pow(x, exponent)

    assert derivatives(mt, run, POINTS)[:2] == derivatives(oracle, run, POINTS)[:2]


@pytest.mark.parametrize(
    "dtype,largest", [("int8", 128), ("uint8", 256), ("int16", 32768), ("uint16", 65536), ("float16", 2049)]
)
def test_randperm_refuses_what_its_dtype_cannot_hold(mt, oracle, dtype, largest):
    def run(torch, n):
        return outcome(lambda t: t.randperm(n, dtype=getattr(t, dtype)).sort().values[-1].item(), torch)[0]

    assert run(mt, largest) == run(oracle, largest)
    assert run(mt, largest + 1) == run(oracle, largest + 1)
    assert run(mt, largest + 1)[0] == "RuntimeError"


def test_randperm_refuses_floats_beyond_their_whole_numbers(mt, oracle):
    def run(torch):
        return outcome(lambda t: t.randperm(2**24 + 2, dtype=t.float32), torch)

    assert run(mt) == run(oracle)
