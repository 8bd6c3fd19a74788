"""Special functions: values against real torch over their ranges, special points, dtypes and errors."""

import math

import pytest
from outcomes import close, outcome

POINTS = [0.0, -0.0, 1e-30, 0.001, 0.3, 0.5, 1.0, 1.5, 2.0, 2.7, 3.0, 5.0, 7.9, 8.1, 12.0, 20.0, 30.5, 87.0, 150.0]
UNARY = (
    "airy_ai bessel_j0 bessel_j1 bessel_y0 bessel_y1 digamma entr erfcx i0 i0e i1 i1e log_ndtr modified_bessel_i0 "
    "modified_bessel_i1 modified_bessel_k0 modified_bessel_k1 ndtr ndtri scaled_modified_bessel_k0 "
    "scaled_modified_bessel_k1 spherical_bessel_j0 gammaln erfc expit sinc"
).split()
POLYNOMIALS = (
    "chebyshev_polynomial_t chebyshev_polynomial_u chebyshev_polynomial_v chebyshev_polynomial_w hermite_polynomial_h "
    "hermite_polynomial_he laguerre_polynomial_l legendre_polynomial_p shifted_chebyshev_polynomial_t "
    "shifted_chebyshev_polynomial_u shifted_chebyshev_polynomial_v shifted_chebyshev_polynomial_w"
).split()
PAIRS = [0.0, 1e-10, 0.01, 0.5, 1.0, 1.1, 2.5, 10.0, 19.5, 21.0, 200.0, 9000.0, 11000.0, 1e6]


@pytest.mark.parametrize("name", UNARY)
def test_values_match_torch_over_the_whole_range(mt, oracle, name):
    points = POINTS + [-x for x in POINTS] + [math.inf, -math.inf, math.nan]

    def evaluate(torch):
        return getattr(torch.special, name)(torch.tensor(points, dtype=torch.float64)).tolist()

    # torch's rational approximations are good to 1e-8 where functions oscillate (airy_ai: 6e-8 near -2.7).
    loose = name.startswith(("airy", "bessel"))
    assert close(evaluate(mt), evaluate(oracle), 2e-12, 1e-7 if loose else 1e-13)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ["erfinv", "ndtri"])
def test_inverse_distributions_match_torch_to_the_ends(mt, oracle, name, dtype):
    # From the middle to the numbers nearest to 0 and 1: each interval of the fits, and both sides of their
    # boundaries.
    near_one = [1 - 2.0**-k for k in range(1, 54)]
    near_zero = [2.0**-k for k in range(1, 149)] + [1e-300, 5e-324]
    inside = [k / 97 for k in range(98)] + near_one + near_zero + [1.0, 0.0, 1.5, math.nan]
    points = inside + ([-x for x in inside] if name == "erfinv" else [])

    def evaluate_inverse(torch, *dtypes):
        x = torch.tensor(points, dtype=torch.float64)
        for dtype in dtypes:
            x = x.to(getattr(torch, dtype))
        return getattr(torch.special, name)(x).tolist()

    # Floats are compared with torch's doubles, since torch's floats have errors of several ULP.
    bound = 4e-14 if dtype == "float64" else 3.3e-7 if name == "erfinv" else 1.3e-7
    assert close(
        evaluate_inverse(mt, dtype),
        evaluate_inverse(oracle, dtype, "float64"),
        bound,
        0 if dtype == "float64" else 1e-44,
    )


@pytest.mark.parametrize("name", POLYNOMIALS)
def test_polynomials_match_torch_at_all_degrees(mt, oracle, name):
    def evaluate_polynomials(torch):
        x = torch.tensor([-1.5, -1, -0.7, -0.1, 0, 0.2, 0.5, 1, 1.2], dtype=torch.float64)
        degrees = torch.tensor([-1, 0, 1, 2, 3, 5, 8, 9, 17], dtype=torch.float64)
        function = getattr(torch.special, name)
        return [function(x[:, None], degrees).tolist(), function(0.3, degrees).tolist(), function(x, 4).tolist()]

    assert close(evaluate_polynomials(mt), evaluate_polynomials(oracle), 1e-9, 1e-9)


@pytest.mark.parametrize("name", ["gammainc", "gammaincc"])
def test_incomplete_gammas_match_torch(mt, oracle, name):
    def evaluate_gamma(torch):
        grid = torch.tensor(PAIRS, dtype=torch.float64)
        return getattr(torch.special, name)(grid[:, None], grid).tolist()

    assert close(evaluate_gamma(mt), evaluate_gamma(oracle), 1e-7, 1e-12)


def test_zeta_matches_torch(mt, oracle):
    def evaluate_zeta(torch):
        s = torch.tensor([0.5, 1, 1.01, 1.5, 2, 3, 7, 20, 60, 300], dtype=torch.float64)
        q = torch.tensor([1e-3, 0.5, 1, 2.5, 10, 1000, 1e9, -0.5, -2, -3.25], dtype=torch.float64)
        return torch.special.zeta(s[:, None], q).tolist()

    assert close(evaluate_zeta(mt), evaluate_zeta(oracle), 1e-10, 1e-300)


@pytest.mark.parametrize(
    "call",
    [
        "special.bessel_j0(torch.ones(2, dtype=torch.half))",
        "special.zeta(torch.ones(2, dtype=torch.half), 2)",
        "special.i0(torch.ones(2, dtype=torch.complex64))",
        "special.multigammaln(torch.ones(2), 0)",
        "special.multigammaln(torch.ones(2, dtype=torch.bool), 2)",
        "special.gammainc(torch.ones(2).long(), torch.ones(2).long())",
        "special.polygamma(-1, torch.ones(2))",
        "special.gammainc(torch.ones(2, requires_grad=True), torch.ones(2)).sum().backward()",
        "special.zeta(torch.full((2,), 2.0, requires_grad=True), 1.5).sum().backward()",
        "special.bessel_j0(torch.ones(2, requires_grad=True)).requires_grad",
        "complex(torch.ones(2), torch.ones(2).double())",
        "complex(torch.ones(2), torch.ones(2), out=torch.ones(2))",
        "polar(torch.ones(2).half(), torch.ones(2).half())",
        "float_power(torch.ones(2), 2, out=torch.ones(2))",
        "ones(2).float_power_(2)",
        "frexp(torch.ones(2).int())",
        "frexp(torch.ones(2), out=(torch.ones(2), torch.ones(2)))",
    ],
)
def test_refusals_are_torchs(mt, oracle, call):
    def eval_call(torch):
        return eval("torch." + call, {"torch": torch})

    assert outcome(eval_call, mt)[0] == outcome(eval_call, oracle)[0]


@pytest.mark.parametrize("name", ["i0", "i0e", "i1", "i1e", "erfcx", "log_ndtr", "entr", "ndtri"])
def test_gradients_agree_with_differences(mt, name):
    x = mt.tensor([0.2, 0.45, 0.9], dtype=mt.float64, requires_grad=True)
    function = getattr(mt.special, name)
    assert mt.autograd.gradcheck(function, (x,))
    assert mt.autograd.gradgradcheck(function, (x,))


def test_nextafter_of_half_types_matches_torch(mt, oracle):
    def find_neighbours(torch):
        a = torch.tensor([0.0, 1.0, -1.0, 65504.0, 1e-7, math.nan, 2.0])
        b = torch.tensor([1.0, 2.0, 5.0, math.inf, -1.0, 1.0, 2.0])
        return [torch.nextafter(a.to(d), b.to(d)).double().tolist() for d in (torch.bfloat16, torch.float16)]

    assert close(find_neighbours(mt), find_neighbours(oracle), 0, 0)


@pytest.mark.parametrize("eps", [None, 0.1, 0.0, -0.1])
def test_gradient_of_logit_beyond_its_bounds_matches_torch(mt, oracle, eps):
    def differentiate_logit(torch):
        x = torch.tensor([-0.5, 0.0, 0.05, 0.1, 0.3, 0.95, 1.0, 1.5, math.nan], dtype=torch.float64, requires_grad=True)
        (slope,) = torch.autograd.grad(x.logit(eps=eps).sum(), x)
        return slope.tolist()

    assert close(differentiate_logit(mt), differentiate_logit(oracle), 1e-12, 0)


# Numbers near all boundaries of the polynomial fits, and large ones; tests use from one of them to several vectors and
# a remainder.
FLOATS = [k / 16 - 12 for k in range(385)] + [s * 1.37**k for k in range(-30, 12) for s in (1, -1)]
ROUNDED_ONCE = (
    "bessel_j0 bessel_j1 bessel_y0 bessel_y1 erfcx i0 i0e i1 i1e log_ndtr modified_bessel_i0 modified_bessel_i1 "
    "modified_bessel_k0 modified_bessel_k1 scaled_modified_bessel_k0 scaled_modified_bessel_k1 spherical_bessel_j0"
).split()


@pytest.mark.parametrize("name", ROUNDED_ONCE)
def test_float_results_are_rounded_double_results(mt, name):
    # torch's own floats have errors up to 10 ULP, and its doubles 1e-8 where functions oscillate.
    function = getattr(mt.special, name)
    x = mt.tensor(FLOATS, dtype=mt.float32)
    doubles = function(x.double()).float().tolist()
    assert close(function(x).tolist(), doubles, 2**-23, 2e-9 if "bessel" in name else 1e-45)


@pytest.mark.parametrize("name", ROUNDED_ONCE)
def test_results_are_bit_identical_for_any_length_and_stride(mt, name):
    function = getattr(mt.special, name)
    for dtype in (mt.float32, mt.float64):
        x = mt.tensor(FLOATS, dtype=dtype)
        whole = function(x)
        one_by_one = mt.stack([function(e) for e in x[:40]])
        assert mt.equal(whole[:40].nan_to_num(7), one_by_one.nan_to_num(7))
        assert mt.equal(whole[::3].nan_to_num(7), function(x[::3]).nan_to_num(7))
        assert function(x[:0]).shape == (0,)
        out = x.clone()
        assert mt.equal(function(out, out=out).nan_to_num(7), whole.nan_to_num(7))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", POLYNOMIALS)
def test_polynomials_have_torchs_bits(mt, oracle, name, dtype):
    points = [k / 60 - 2 for k in range(241)] + [1e30, -math.inf, math.inf, 0.0, -0.0]
    # The kernel computes degrees up to 128 for a whole tile at once, higher ones element by element. The test has tiles
    # of one degree and of several.
    degrees = [0, 1, 2, 3.7, 7, 12, 40, 128, 129, 150, -1, -0.5, math.nan, math.inf, 5, 5, 5, 5]

    def evaluate_polynomials(torch):
        x = torch.tensor(points, dtype=getattr(torch, dtype))
        n = torch.tensor((degrees * len(points))[: len(points)], dtype=x.dtype)
        function = getattr(torch.special, name)
        mixed = [function(x, n), function(x.flip(0), n), function(x[::2], n[::2]), function(x[:0], 3)]
        return [y.tolist() for y in [*mixed, *(function(x, d) for d in (0, 1, 2, 5, 6, 20))]]

    assert close(evaluate_polynomials(mt), evaluate_polynomials(oracle), 0, 0)


@pytest.mark.parametrize("name", ["gammainc", "gammaincc"])
def test_float_incomplete_gammas_are_rounded_double_results(mt, oracle, name):
    def evaluate_gamma(torch, dtype):
        a = torch.tensor(PAIRS[1:], dtype=torch.float32).to(dtype)
        return getattr(torch.special, name)(a[:, None], a).tolist()

    assert close(evaluate_gamma(mt, mt.float32), evaluate_gamma(mt, mt.float64), 2**-23, 1e-45)
    assert close(evaluate_gamma(mt, mt.float64), evaluate_gamma(oracle, oracle.float64), 1e-7, 1e-12)


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16"])
@pytest.mark.parametrize("order", [0, 1, 2, 3, 5])
def test_polygammas_match_torch_on_both_sides_of_zero(mt, oracle, order, dtype):
    def evaluate_polygamma(torch):
        points = [0.3, 0.5, 1, 2.5, 20, 300, -0.3, -1.5, -2.75, -28.5, -31.25, -70.25]
        x = torch.tensor(points, dtype=getattr(torch, dtype))
        return torch.special.polygamma(order, x).double().tolist()

    assert close(
        evaluate_polygamma(mt),
        evaluate_polygamma(oracle),
        {"float32": 3e-5, "float64": 1e-9, "bfloat16": 2e-2}[dtype],
        1e-300,
    )
