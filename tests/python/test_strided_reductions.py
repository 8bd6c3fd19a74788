"""Reductions of contiguous and strided runs, half cumsum, histograms, gamma functions match torch."""

import math

import pytest

LENGTHS = (1, 7, 63, 64, 65, 127, 128, 129, 1000, 4096, 4097)
REDUCTIONS = {
    "amax": lambda t, x: t.amax(x, -1),
    "amin": lambda t, x: t.amin(x, -1),
    "argmax": lambda t, x: t.argmax(x, -1),
    "argmin of all": lambda t, x: t.argmin(x),
    "max": lambda t, x: t.max(x),
    "aminmax": lambda t, x: t.stack(t.aminmax(x)),
}


def make_values(t, shape, dtype):
    count = math.prod(shape)
    return ((t.arange(count) * 7919 % 1009 - 504).to(t.float64) / 8).to(getattr(t, dtype)).reshape(shape)


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "float16"])
@pytest.mark.parametrize("name", REDUCTIONS)
def test_extremes_with_and_without_nan_anywhere_match_torch(mt, oracle, name, dtype):
    for n in LENGTHS:
        for places in ((), (0,), (n - 1,), (n // 2, n - 1), (n // 3,)):

            def reduce_with_nan(t, n=n, places=places):
                x = make_values(t, (3, n), dtype)
                for place in places:
                    x[1, place] = math.nan
                x[2, n // 2] = -math.inf
                return str(REDUCTIONS[name](t, x).tolist())

            assert reduce_with_nan(mt) == reduce_with_nan(oracle), (n, places)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "int64", "uint8", "complex64"])
@pytest.mark.parametrize("name", ["sum", "prod", "any", "mean", "var", "argmax", "norm"])
def test_strided_runs_reduce_as_contiguous_ones(mt, oracle, name, dtype):
    if name in ("mean", "var", "norm") and dtype in ("int64", "uint8") or name == "argmax" and dtype == "complex64":
        pytest.skip("not a function of these elements")
    for shape, step in (((5, 301), 2), ((5, 301), 3), ((3, 9001), 2), ((2, 40), 7), ((9001,), 3)):

        def reduce_strided_runs(t, shape=shape, step=step):
            if dtype == "complex64":
                x = t.polar(t.ones(shape), t.arange(math.prod(shape)).reshape(shape) * 0.3)
            else:
                x = make_values(t, shape, dtype)
                x = t.sign(x) if name == "prod" else x
            f = getattr(t, name)
            lines = f(x, dim=-1) if name != "norm" else f(x)
            return [f(x[..., ::step]), f(x[::2]), lines, f(x[..., ::step].contiguous())]

        for ours, theirs in zip(reduce_strided_runs(mt), reduce_strided_runs(oracle), strict=True):
            near = 2e-2 if dtype == "bfloat16" else 1e-4
            oracle.testing.assert_close(oracle.tensor(ours.tolist(), dtype=theirs.dtype), theirs, rtol=near, atol=1e-3)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_running_sums_of_half_types_match_torch(mt, oracle, dtype):
    planes = [(1000, 3), (100, 64), (7, 1024), (7, 1025), (5, 3000), (300, 1), (1, 70), (0, 3)]
    for shape in [*planes, (4, 5, 6), (3, 17, 65), (2, 40, 2), (65,), (1,)]:
        for dim in range(len(shape)):

            def take_running_sums(t, shape=shape, dim=dim):
                x = (t.arange(math.prod(shape)) * 7919 % 5 - 2).reshape(shape).to(getattr(t, dtype))
                y = x.clone()
                y.cumsum_(dim)
                return t.cumsum(x, dim).tolist(), y.tolist(), t.cumsum(x.flip(0), dim).tolist()

            assert take_running_sums(mt) == take_running_sums(oracle), (shape, dim)


@pytest.mark.parametrize("bins", [1, 2, 7, 100, 1000])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_histograms_count_values_on_an_edge_as_torch(mt, oracle, dtype, bins):
    for low, high in ((None, None), (-50.0, 50.0), (-63.0, 63.0), (0.1, 0.7), (1e-3, 1e6)):

        def make_histogram(t, low=low, high=high):
            x = t.cat([make_values(t, (3000,), dtype), t.linspace(-63, 63, bins + 1, dtype=getattr(t, dtype))])
            return t.histogram(x, bins, range=None if low is None else (low, high)).hist.tolist()

        assert make_histogram(mt) == make_histogram(oracle), (low, high)

    def make_uneven_values(t):
        edges = t.tensor([-60.0, -59.5, -59.25, 3.0, 3.5, 50.0], dtype=getattr(t, dtype))
        return t.histogram(t.cat([make_values(t, (3000,), dtype), edges]), edges).hist.tolist()

    assert make_uneven_values(mt) == make_uneven_values(oracle)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("name", ["addcmul", "addcdiv", "sqrt", "rsqrt"])
def test_strided_half_types_match_torch(mt, oracle, name, dtype):
    for n in (1, 5, 15, 16, 17, 33, 1000):

        def compute_on_strided(t, n=n):
            d = getattr(t, dtype)
            x, y, z = (make_values(t, (n,), dtype) * k for k in (1, 0.5, 0.25))
            x = t.cat([x, t.tensor([0.0, -0.0, math.inf, -math.inf, math.nan, 65504.0], dtype=d)])
            y = t.cat([y, t.tensor([3.0, 0.0, -math.inf, 2.0, 1.0, 65504.0], dtype=d)])
            z = t.cat([z, t.tensor([0.0, 0.0, 2.0, math.nan, 1.0, 1.0], dtype=d)])
            f = getattr(t, name)
            if name == "rsqrt" and t is oracle:  # it rounds intermediate results where it has no vectors
                return str([f(x.float()).to(d).tolist(), f(x[::2].float()).to(d).tolist()])
            if name in ("sqrt", "rsqrt"):
                return str([f(x).tolist(), f(x[::2]).tolist()])
            mixed = f(x.float(), y, z)
            plain = [f(x, y, z), f(x, y, z, value=1.0), f(x, y, z, value=3), f(x, y[:1], z), mixed]
            return str([r.tolist() for r in plain]), str(mixed.dtype).split(".")[-1]

        assert compute_on_strided(mt) == compute_on_strided(oracle), n


def test_int64_beyond_int32_converts_to_floats_as_in_torch(mt, oracle):
    def convert_to_floats(t):
        x = t.arange(-40, 40) * 123456789012345
        x[::3] = t.arange(27) - 13
        x[5:8] = t.tensor([2**31, -(2**31), -(2**31) - 1])
        x[-2:] = t.tensor([2**63 - 1, -(2**63)])
        return x.float().tolist(), t.arange(37).sub(18).float().tolist(), (x / 7).tolist()

    assert convert_to_floats(mt) == convert_to_floats(oracle)


def test_digamma_and_lgamma_match_torch_near_their_poles(mt, oracle):
    edges = [0.0, -0.0, -1.0, -2.0, -1e10, math.inf, -math.inf, math.nan, 1.0, 2.0, 10.0, 1e-40, 3e38, 1e7, 9.9e6]
    edges += [5.999, 6.0, 3.0, 2.9999]
    for name in ("digamma", "lgamma"):
        ours, theirs = ((getattr(t, name)(t.tensor(edges))).tolist() for t in (mt, oracle))
        assert [math.copysign(1, a) for a in ours if a == a] == [math.copysign(1, b) for b in theirs if b == b]
        for a, b in zip(ours, theirs, strict=True):
            assert a == b or (a != a and b != b) or math.isclose(a, b, rel_tol=2e-6, abs_tol=1e-6), (name, a, b)
        x = [i * 0.0371 + 0.011 for i in range(-300, 900)]
        exact = getattr(oracle, name)(oracle.tensor(oracle.tensor(x).tolist(), dtype=oracle.float64))
        ours = oracle.tensor(getattr(mt, name)(mt.tensor(x)).tolist(), dtype=oracle.float64)
        oracle.testing.assert_close(ours, exact, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_sums_of_half_types_along_rows_and_columns_match_torch(mt, oracle, dtype):
    planes = [(3, 63), (3, 64), (3, 65), (2, 95), (2, 4096), (2, 4097), (7, 130), (100, 17), (70, 4), (5000, 64)]
    for shape in [*planes, (9, 3, 79)]:
        for dim in range(len(shape)):

            def add_along_and_down(t, shape=shape, dim=dim):
                x = (t.arange(math.prod(shape)) * 7919 % 17 - 8).reshape(shape).to(getattr(t, dtype)) / 8
                parts = x[..., ::2]
                return [str(r.tolist()) for r in (x.sum(dim), x.mean(dim), x.sum(), parts.sum(dim), t.nansum(x, dim))]

            assert add_along_and_down(mt) == add_along_and_down(oracle), (shape, dim)
    with_nan = [[math.nan, 1.0] * 40, [math.inf] * 80, [-0.0] * 80]
    ours, theirs = (str(t.tensor(with_nan, dtype=getattr(t, dtype)).sum(1).tolist()) for t in (mt, oracle))
    assert ours == theirs


@pytest.mark.parametrize("dtype", ["int64", "int32", "uint8", "bool", "float16"])
@pytest.mark.parametrize("shape", [(5, 1024), (700, 3), (3, 1), (2, 5000), (4, 3, 40)])
def test_columns_of_other_dtypes_than_the_arithmetics_match_torch(mt, oracle, dtype, shape):
    def compute_columns(t):
        x = (t.arange(math.prod(shape)) % 100 + 1).reshape(shape).to(getattr(t, dtype))
        column, plane = x[..., :1], x[:1]
        results = (x / column, column / x, x / plane, t.atan2(x, column), x.float() + column, x.float() * x[..., -1:])
        return [r.tolist() for r in results]

    ours, theirs = compute_columns(mt), compute_columns(oracle)
    for a, b in zip(ours, theirs, strict=True):
        near = 2e-3 if dtype == "float16" else 2e-6
        oracle.testing.assert_close(oracle.tensor(a), oracle.tensor(b), rtol=near, atol=1e-6)


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "float16"])
def test_number_operands_of_rows_match_torch(mt, oracle, dtype):
    values = [0.0, -0.0, math.inf, -math.inf, math.nan, 0.5, -0.5, 0.25, -0.75, 3.0]
    for copies in (1, 2, 7, 200):

        def compute_rows_and_numbers(t, copies=copies):
            x = t.tensor(values * copies, dtype=getattr(t, dtype))
            shrink = t.nn.functional.softshrink
            shrunk = [shrink(x), shrink(x, 0.0), shrink(x, 2.0), shrink(x[::3], 0.25)]
            results = [r + 0.0 for r in shrunk]  # the sign of torch's zeros depends on their index
            results += [t.nan_to_num(x), t.nan_to_num(x, 7.0, 5.0, -5.0), t.nan_to_num(x[::3], 1.0)]
            return [str(r.tolist()) for r in results]

        assert compute_rows_and_numbers(mt) == compute_rows_and_numbers(oracle), copies
