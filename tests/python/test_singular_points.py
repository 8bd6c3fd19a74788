"""Values and derivatives at singular points, and integers outside a dtype's range, match real torch."""

import pytest
from outcomes import outcome

POINTS = [0.0, -0.0, 1.0, -1.0, 2.0, -0.5, float("inf"), float("-inf"), float("nan"), 1e-30]


def differentiate_twice(torch, function, *values):
    """The result, its gradients and second derivatives, as texts, so that NaN equals NaN and -0 does not equal 0.

    Texts have 13 digits: the last bit of real torch's functions depends on the processor.
    """
    leaves = [torch.tensor(v, dtype=torch.float64, requires_grad=True) for v in values]
    result = function(torch)(*leaves)
    first = torch.autograd.grad(result.sum(), leaves, create_graph=True)
    second = torch.autograd.grad(sum(g.sum() for g in first), leaves)
    return [str([float(f"{value:.13g}") for value in t.tolist()]) for t in (result, *first, *second)]


def test_atan2_has_gradient_zero_at_the_origin(mt, oracle):
    y = [0.0, -0.0, 0.0, -0.0, 1.0, -2.0]
    x = [0.0, 0.0, -0.0, -0.0, 0.0, -1.0]
    found = differentiate_twice(mt, lambda torch: torch.atan2, y, x)
    assert found == differentiate_twice(oracle, lambda torch: torch.atan2, y, x)
    assert found[1] == "[0.0, 0.0, -0.0, -0.0, 0.0, -0.2]"


def test_entr_gradient_below_zero_matches_torch(mt, oracle):
    found = differentiate_twice(mt, lambda torch: torch.special.entr, POINTS)
    assert found == differentiate_twice(oracle, lambda torch: torch.special.entr, POINTS)


@pytest.mark.parametrize("exponent", [-2, -0.5, 0.5, -1, 3])
def test_derivatives_of_powers_of_signed_zeros_and_infinities_match_torch(mt, oracle, exponent):
    def make_power_function(torch):
        return lambda x: torch.pow(x, exponent)

    assert (
        differentiate_twice(mt, make_power_function, POINTS)[:2]
        == differentiate_twice(oracle, make_power_function, POINTS)[:2]
    )


@pytest.mark.parametrize(
    "dtype,largest", [("int8", 128), ("uint8", 256), ("int16", 32768), ("uint16", 65536), ("float16", 2049)]
)
def test_randperm_refuses_counts_that_its_dtype_cannot_represent(mt, oracle, dtype, largest):
    def largest_of_randperm(torch, n):
        return outcome(lambda t: t.randperm(n, dtype=getattr(t, dtype)).sort().values[-1].item(), torch)[0]

    assert largest_of_randperm(mt, largest) == largest_of_randperm(oracle, largest)
    assert largest_of_randperm(mt, largest + 1) == largest_of_randperm(oracle, largest + 1)
    assert largest_of_randperm(mt, largest + 1)[0] == "RuntimeError"


def test_randperm_refuses_counts_beyond_a_floats_exact_integers(mt, oracle):
    def make_float_randperm(torch):
        return outcome(lambda t: t.randperm(2**24 + 2, dtype=t.float32), torch)

    assert make_float_randperm(mt) == make_float_randperm(oracle)


def differentiate_forward(torch, function, *values):
    """The derivative along ones, in forward mode."""
    primals = tuple(torch.tensor(v, dtype=torch.float64) for v in values)
    return torch.func.jvp(function(torch), primals, tuple(torch.ones_like(p) for p in primals))[1]


def have_same_values(mine, other):
    """Asserts that values agree to the last digits, and NaN with NaN."""
    return mine.shape == other.shape and are_close(mine.tolist(), other.tolist())


def are_close(a, b):
    if isinstance(a, list):
        return len(a) == len(b) and all(map(are_close, a, b))
    return a == pytest.approx(b, rel=1e-9, abs=1e-12, nan_ok=True)


PAIRS = [(a, b) for a in POINTS for b in POINTS]
BINARY_CALLS = {
    "maximum": lambda torch: torch.maximum,
    "minimum": lambda torch: torch.minimum,
    "div": lambda torch: torch.div,
    "div, rounded": lambda torch: lambda a, b: torch.div(a, b, rounding_mode="floor"),
    "pow": lambda torch: torch.pow,
    "float_power": lambda torch: torch.float_power,
    "fmax": lambda torch: torch.fmax,
    "mul": lambda torch: torch.mul,
    "remainder": lambda torch: torch.remainder,
    "copysign": lambda torch: torch.copysign,
}


@pytest.mark.parametrize("name", BINARY_CALLS)
def test_forward_derivatives_of_two_arguments_match_torch(name, mt, oracle):
    values = [a for a, _ in PAIRS], [b for _, b in PAIRS]
    assert have_same_values(
        differentiate_forward(mt, BINARY_CALLS[name], *values),
        differentiate_forward(oracle, BINARY_CALLS[name], *values),
    )


UNARY_CALLS = {
    "logcumsumexp": lambda torch: lambda x: torch.logcumsumexp(x[:6], 0),
    "logcumsumexp of pairs": lambda torch: lambda x: torch.stack([x, x], 1).logcumsumexp(1),
    "std": lambda torch: lambda x: torch.stack([x, x], 1).std(1),
    "std of others": lambda torch: lambda x: torch.stack([x, x + 1, x * 2], 1).std(1),
    "var": lambda torch: lambda x: torch.stack([x, x], 1).var(1),
    "logit": lambda torch: torch.logit,
    "logit, held": lambda torch: lambda x: torch.logit(x, 1e-3),
    "norm 3": lambda torch: lambda x: torch.linalg.vector_norm(x.unsqueeze(1), 3, 1),
    "norm 2": lambda torch: lambda x: torch.linalg.vector_norm(x.unsqueeze(1), 2, 1),
    "norm 1": lambda torch: lambda x: torch.linalg.vector_norm(x.unsqueeze(1), 1, 1),
    "norm 0": lambda torch: lambda x: torch.linalg.vector_norm(torch.stack([x, x], 1), 0, 1),
    "norm inf": lambda torch: lambda x: torch.linalg.vector_norm(torch.stack([x, x], 1), float("inf"), 1),
    "norm of all": lambda torch: lambda x: torch.linalg.vector_norm(x[:6]),
    "celu": lambda torch: torch.nn.functional.celu,
    "elu": lambda torch: torch.nn.functional.elu,
    "selu": lambda torch: torch.selu,
    "i1": lambda torch: torch.special.i1,
    "i1e": lambda torch: torch.special.i1e,
    "pow by a number": lambda torch: lambda x: torch.pow(x, 3),
}


@pytest.mark.parametrize("name", UNARY_CALLS)
def test_forward_derivatives_of_one_argument_match_torch(name, mt, oracle):
    # For some functions torch's result at NaN depends on the element's index, so NaN is not tested there.
    without_nan = ("norm", "std", "var", "elu", "celu", "selu", "logit, held")
    points = [p for p in POINTS if p == p] if name.startswith(without_nan) else POINTS
    assert have_same_values(
        differentiate_forward(mt, UNARY_CALLS[name], points), differentiate_forward(oracle, UNARY_CALLS[name], points)
    )


def test_the_tangent_of_logcumsumexp_keeps_no_graph_and_has_its_sign(mt, oracle):
    for torch in (mt, oracle):
        x, t = torch.tensor([0.0, 1.0, -2.0, 3.0]), torch.tensor([1.0, -2.0, 0.0, 0.5])
        found = torch.func.jvp(lambda a: a.logcumsumexp(0), (x,), (t,))[1]
        weights = torch.softmax(x, 0)
        assert not found.requires_grad
        assert found[-1].item() == pytest.approx((weights * t).sum().item(), rel=1e-5)
        assert found[0].item() == pytest.approx(1.0, rel=1e-5)


@pytest.mark.parametrize("name", ["celu", "elu", "selu"])
def test_exponential_units_have_no_second_derivative_at_zero_and_above(name, mt, oracle):
    def get_function(torch):
        return getattr(torch.nn.functional, name)

    points = [p for p in POINTS if p == p]  # torch's result at NaN depends on the number of elements
    found, wanted = differentiate_twice(mt, get_function, points), differentiate_twice(oracle, get_function, points)
    nested = lambda texts: [eval(text, {"nan": float("nan"), "inf": float("inf")}) for text in texts]  # noqa: E731
    assert are_close(nested(found), nested(wanted))
    assert found[2].startswith("[0.0, ")


@pytest.mark.parametrize("name", ["i0", "i1", "i1e"])
def test_bessel_functions_at_nan_and_near_zero(name, mt, oracle):
    points = [0.0, -0.0, 1e-40, -1e-30, float("nan"), 0.5, -2.0]
    found = differentiate_twice(mt, lambda torch: getattr(torch.special, name), points)
    wanted = differentiate_twice(oracle, lambda torch: getattr(torch.special, name), points)
    nested = lambda texts: [eval(text, {"nan": float("nan"), "inf": float("inf")}) for text in texts]  # noqa: E731
    assert are_close(nested(found), nested(wanted))


def test_special_functions_of_nan_and_special_points(mt, oracle):
    nan, inf = float("nan"), float("inf")
    pairs = [(inf, nan), (nan, 0.0), (nan, 1.0), (0.0, nan), (nan, -1.0), (nan, -2.5), (1.0, nan), (nan, inf)]
    for name in ("igamma", "igammac"):
        for a, b in pairs:
            found = [getattr(t, name)(t.tensor(a), t.tensor(b)).item() for t in (mt, oracle)]
            assert are_close(*found), (name, a, b)
    for a, b in pairs:
        found = [t.special.zeta(t.tensor(a), t.tensor(b)).item() for t in (mt, oracle)]
        assert are_close(*found), ("zeta", a, b)
