"""Separate loops for half types, integers and bool match real torch at uneven sizes, contiguous or not."""

import pytest

SHAPES = [(), (0,), (1,), (7,), (33,), (3, 0), (1, 67), (5, 130), (129, 33), (2, 3, 300)]
INTEGERS = ("uint8", "int8", "int16", "int32", "int64")
ALL = ("bool", *INTEGERS, "float16", "bfloat16", "float32", "float64", "complex64", "complex128")


def _list_layouts(x):
    """The tensor and others with the same elements: transposed, with steps, expanded."""
    yield x
    if x.dim() > 1:
        yield x.transpose(0, -1)
        yield x[..., ::2]
        yield x[:, :1].expand_as(x)


def _make_numbers(torch, dtype, shape, zeros):
    count = torch.Size(shape).numel()
    x = torch.arange(count) * 7919 % 251
    x = torch.where(x < zeros, 0, x)
    x = (x - 100 if dtype not in ("uint8", "bool") else x).to(getattr(torch, dtype)).reshape(shape)
    if (x.is_floating_point() or x.is_complex()) and x.dim() and count > 2:
        x[..., 1::5] = -0.0
        x[..., 2::11] = float("nan")
        x[..., 3::17] = float("-inf")
    return x


def _describe_tensor(t):
    return str(t.dtype), tuple(t.shape), t.stride() if t.numel() else None, str(t.tolist())


@pytest.mark.parametrize("dtype", ALL)
@pytest.mark.parametrize("zeros", [0, 1, 250, 252])
def test_all_and_any_match_torch(mt, oracle, dtype, zeros):
    def reduce_with_all_and_any(torch):
        results = []
        for shape in SHAPES:
            for x in _list_layouts(_make_numbers(torch, dtype, shape, zeros)):
                x = x if zeros < 252 else x * 0
                for name in ("all", "any"):
                    f = getattr(torch, name)
                    results += [_describe_tensor(f(x)), *(_describe_tensor(f(x, d)) for d in range(x.dim()))]
                    results.append(_describe_tensor(f(x, tuple(range(x.dim())), keepdim=True)))
                    results.append(
                        _describe_tensor(
                            f(x, out=torch.empty((), dtype=torch.uint8 if dtype == "uint8" else torch.bool))
                        )
                    )
        return results

    assert reduce_with_all_and_any(mt) == reduce_with_all_and_any(oracle)


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int8"])
def test_sums_of_bytes_match_torch(mt, oracle, dtype):
    def sum_bytes(torch):
        results = []
        for shape in [*SHAPES, (40000,), (3, 70001)]:
            for x in _list_layouts(_make_numbers(torch, dtype, shape, 3)):
                for name in ("sum", "nansum", "count_nonzero"):
                    f = getattr(torch, name)
                    results += [_describe_tensor(f(x)), *(_describe_tensor(f(x, d)) for d in range(x.dim()))]
        most = torch.full((9001,), 255).to(getattr(torch, dtype))
        return [*results, _describe_tensor(most.sum())]

    assert sum_bytes(mt) == sum_bytes(oracle)


@pytest.mark.parametrize("to", ALL)
def test_conversion_of_bool_matches_torch(mt, oracle, to):
    def convert_bools(torch):
        results = []
        for shape in SHAPES:
            for x in _list_layouts(_make_numbers(torch, "bool", shape, 99)):
                results += [
                    _describe_tensor(x.to(getattr(torch, to))),
                    _describe_tensor(torch.logical_not(x)),
                    _describe_tensor(x + 3),
                ]
        return results

    assert convert_bools(mt) == convert_bools(oracle)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("name", ["neg", "abs", "reciprocal", "square"])
def test_unary_operators_of_half_types_match_torch(mt, oracle, dtype, name):
    def apply_unary(torch):
        results = []
        for shape in SHAPES:
            for x in _list_layouts(_make_numbers(torch, dtype, shape, 9)):
                y = getattr(torch, name)(x)
                written = x.clone()
                getattr(torch, name)(x, out=written)
                results += [
                    _describe_tensor(y),
                    _describe_tensor(1 / y),
                    _describe_tensor(written),
                ]  # 1 / y shows the sign of zeros
        return results

    assert apply_unary(mt) == apply_unary(oracle)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_copysign_of_half_types_matches_torch(mt, oracle, dtype):
    def copy_signs(torch):
        results = []
        for shape in SHAPES:
            for x in _list_layouts(_make_numbers(torch, dtype, shape, 9)):
                y = -x.flip(0) if x.dim() else -x
                y[y != y] = 0  # in some loops only, a NaN of real torch keeps its sign
                signs = [y, -3, y.float(), y.reshape(-1)[:1] if y.numel() else y]
                for z in (torch.copysign(x, s) for s in signs):
                    results += [_describe_tensor(z), _describe_tensor(1 / z)]
        return results

    assert copy_signs(mt) == copy_signs(oracle)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("shape", [(1, 16), (48, 130), (70, 257), (1025, 17), (3, 65, 40), (0, 20), (5, 15)])
@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_softmax_down_columns_of_half_types_matches_torch(mt, oracle, dtype, shape, name):
    def softmax_and_differentiate(torch):
        x = torch.arange(torch.Size(shape).numel()) * 7919 % 251 - 120
        x = x.reshape(shape).div(32).to(getattr(torch, dtype)).requires_grad_()
        y = getattr(torch, name)(x, -2)
        (y * x.detach().flip(0)).sum().backward()
        return y.detach().double().reshape(-1).tolist(), x.grad.double().reshape(-1).tolist()

    step = 2.0**-8 if dtype == "bfloat16" else 2.0**-11
    for ours, theirs in zip(softmax_and_differentiate(mt), softmax_and_differentiate(oracle), strict=True):
        assert ours == pytest.approx(theirs, rel=2 * step, abs=4 * step)


# A row may contain an element twice; NaN is selected, and a zero keeps the sign of the first.
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("reduce", ["sum", "prod", "mean", "amax", "amin"])
@pytest.mark.parametrize("shape, dim", [((40,), 0), ((3, 50), 1), ((30, 70), 0), ((4, 9, 5), 1)])
def test_reductions_of_half_types_at_indices_match_torch(mt, oracle, shape, dim, reduce, dtype):
    def reduce_at_indices(t):
        count = 3 * shape[dim]
        sizes = [*shape[:dim], count, *shape[dim + 1 :]]
        numel = t.zeros(sizes).numel()
        source = ((t.arange(numel) * 37 % 23 - 11).view(sizes) / 8).to(getattr(t, dtype))
        x = ((t.arange(t.zeros(shape).numel()) * 29 % 17 - 8).view(shape) / 4).to(source.dtype)
        source.view(-1)[5], source.view(-1)[7], source.view(-1)[11] = float("nan"), float("inf"), -0.0
        x.view(-1)[2], x.view(-1)[9] = -float("inf"), float("nan")
        index = (t.arange(numel) * 31 % shape[dim]).view(sizes)
        line = t.arange(count) * 7 % shape[dim]
        how = () if reduce == "sum" else (reduce,)
        of_slices = (t.index_reduce if how else t.index_add)(x, dim, line, source, *how)
        return [of_slices, *(t.scatter_reduce(x, dim, index, source, reduce, include_self=s) for s in (True, False))]

    for ours, theirs in zip(reduce_at_indices(mt), reduce_at_indices(oracle), strict=True):
        ours = oracle.tensor(ours.tolist(), dtype=theirs.dtype)
        assert oracle.allclose(ours.float(), theirs.float(), rtol=2e-2, atol=1e-2, equal_nan=True)


@pytest.mark.parametrize("dtype", ["bool", *INTEGERS, "float16", "bfloat16"])
def test_sums_at_indices_match_torch(mt, oracle, dtype):
    def add_at_indices(torch):
        results = []
        for shape in [(1, 1), (3, 7), (2, 1030), (5, 2, 70), (40, 1)]:
            x = _make_numbers(torch, dtype, shape, 9).clamp(0 if dtype in ("bool", "uint8") else -9, 9)
            x[x != x] = 0
            n = shape[-1]
            at = (torch.arange(n) * 7919 % n).expand(shape)
            few = (torch.arange(n) % 3 % n).expand(shape).contiguous()
            for y in (x, x.transpose(0, -1).contiguous().transpose(0, -1)):
                for i in (at, few, at[..., ::2]):
                    results += [
                        _describe_tensor(y.scatter_add(-1, i, x)),
                        _describe_tensor(y.scatter_reduce(-1, i, x, "prod")),
                    ]
                rows = torch.arange(shape[0]).flip(0) // 2
                results += [
                    _describe_tensor(y.index_add(0, rows, x)),
                    _describe_tensor(y.index_add(0, rows, x, alpha=3 if dtype != "bool" else 1)),
                ]
                results += [_describe_tensor(y.index_add(-1, at[0].reshape(-1)[:n], x))]
        return results

    assert add_at_indices(mt) == add_at_indices(oracle)


@pytest.mark.parametrize("dtype", ALL)
def test_index_fill_matches_torch(mt, oracle, dtype):
    def fill_slices(torch):
        results = []
        for shape in SHAPES:
            x = _make_numbers(torch, dtype, shape, 9)
            for y in [*_list_layouts(x)]:
                for d in range(max(y.dim(), 1)):
                    size = y.size(d) if y.dim() else 1
                    for i in ([], [-1], [0, size - 1, 0]) if size else ([],):
                        results.append(_describe_tensor(y.index_fill(d, torch.tensor(i, dtype=torch.int64), 1)))
                        results.append(
                            _describe_tensor(y.clone().index_fill_(d, torch.tensor(i, dtype=torch.int64), 0))
                        )
        return results

    assert fill_slices(mt) == fill_slices(oracle)


@pytest.mark.parametrize("dtype", [*INTEGERS, "float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("n", [1, 31, 64, 65, 640, 1027, 7000])
def test_topk_and_kthvalue_among_many_equal_elements_match_torch(mt, oracle, dtype, n):
    def select_smallest_and_largest(torch):
        results = []
        for kinds in (1, 2, 40, 251):
            x = ((torch.arange(3 * n) * 7919 % 997 % kinds) - (0 if dtype == "uint8" else kinds // 2)).to(
                getattr(torch, dtype)
            )
            x = x.reshape(3, n)
            if x.is_floating_point():
                x[1, ::7] = float("nan")
                x[1, 1::7] = -0.0
            for y in (x, x.expand(2, 3, n), x.repeat_interleave(2, -1)[..., ::2]):
                for k in sorted({1, 2, n // 64, n // 65, n // 3} - {0}):
                    for largest in (True, False):
                        results += [_describe_tensor(r) for r in torch.topk(y, min(k, n), largest=largest)]
                    results += [_describe_tensor(r) for r in torch.kthvalue(y, min(k, n))]
        return results

    assert select_smallest_and_largest(mt) == select_smallest_and_largest(oracle)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_bincount_matches_torch(mt, oracle, dtype):
    def count_values(torch):
        results = []
        for n in (0, 1, 3, 4, 5000, 70001):
            for kinds in (1, 5, 120):
                x = (torch.arange(n) * 7919 % kinds).to(getattr(torch, dtype))
                for y in (x, x[::3], x[:1].expand(n) if n else x):
                    results += [_describe_tensor(torch.bincount(y)), _describe_tensor(torch.bincount(y, minlength=130))]
        wide = torch.tensor(
            [3000, 2, 3000] if dtype not in ("int8", "uint8") else [100, 2, 100], dtype=getattr(torch, dtype)
        )
        return [*results, _describe_tensor(torch.bincount(wide)), _describe_tensor(torch.bincount(wide.repeat(7000)))]

    assert count_values(mt) == count_values(oracle)


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int8", "int16"])
def test_unique_matches_torch(mt, oracle, dtype):
    def find_unique(torch):
        results = []
        for shape in SHAPES:
            x = _make_numbers(torch, dtype, shape, 9)
            for y in _list_layouts(x):
                results.append(_describe_tensor(torch.unique(y)))
                results += [_describe_tensor(r) for r in torch.unique(y, return_inverse=True, return_counts=True)]
                results += [_describe_tensor(r) for r in torch.unique(y, return_counts=True)]
        return results

    assert find_unique(mt) == find_unique(oracle)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_products_and_histograms_of_half_types_match_torch(mt, oracle, dtype):
    def compute_products(torch):
        results = []
        for n in (0, 1, 2, 129, 300):
            x = (torch.arange(3 * n) * 7919 % 251 - 100).div(7).to(getattr(torch, dtype)).reshape(n, 3)
            results += [
                _describe_tensor(torch.linalg.cross(x, x.flip(1))),
                _describe_tensor(torch.linalg.cross(x.t(), x.t().flip(1), dim=0)),
            ]
            results += [
                _describe_tensor(torch.cumprod(x / 8, 0)),
                _describe_tensor(torch.cumprod(x.t() / 8, -1)),
                _describe_tensor(torch.cumprod(x, 1)),
            ]
            results.append(_describe_tensor(torch.cumprod(x, 1, dtype=torch.float32)))
            for bins, low, high in ((100, 0, 0), (7, -3, 5), (1, 0, 1), (256, -9, 9)):
                results.append(_describe_tensor(torch.histc(x, bins, low, high)))
            if n:
                results.append(_describe_tensor(torch.nn.functional.adaptive_avg_pool2d(x[None], (2, 2))))
                results.append(_describe_tensor(torch.nn.functional.adaptive_avg_pool1d(x.t(), 5)))
        return results

    assert compute_products(mt) == compute_products(oracle)


@pytest.mark.filterwarnings("ignore:ComplexHalf")
def test_complex_numbers_of_half_parts_match_torch(mt, oracle):
    def join_parts(torch):
        results = []
        for shape in SHAPES:
            for x in _list_layouts(_make_numbers(torch, "float16", shape, 9)):
                z = torch.complex(x, x.flip(0) if x.dim() else -x)
                results.append((str(z.dtype), tuple(z.shape), str(torch.view_as_real(z).tolist())))
        return results

    assert join_parts(mt) == join_parts(oracle)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_left_shifts_match_torch(mt, oracle, dtype):
    def shift_left(torch):
        x = torch.arange(300).to(getattr(torch, dtype))
        by = (torch.arange(300) % 80 - (0 if dtype == "uint8" else 8)).to(getattr(torch, dtype))
        return [
            _describe_tensor(x << by),
            _describe_tensor(x[:5] << by[:5]),
            _describe_tensor(x << 3),
            _describe_tensor(-x << 1),
        ]

    assert shift_left(mt) == shift_left(oracle)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("name", ["maximum", "minimum"])
def test_the_larger_of_two_half_tensors_equals_that_of_floats(mt, dtype, name):
    larger = getattr(mt, name)
    for shape in SHAPES:
        for x in _list_layouts(_make_numbers(mt, dtype, shape, 9)):
            y = x.flip(-1) * 2 if x.dim() else x
            assert _describe_tensor(larger(x, y)) == _describe_tensor(larger(x.float(), y.float()).to(x.dtype))


@pytest.mark.parametrize("beyond", ([], [5], [0, 8, 31], [16, 17, 18, 19, 20, 21, 22, 23]))
def test_floats_to_int64_in_and_beyond_int32(mt, oracle, beyond):
    """Fractions round towards zero; values outside int64 become the smallest integer, as the hardware converts them."""
    odd = [2.0**31, -(2.0**31), -(2.0**31) - 256, 2.0**40 + 2.0**20, -(2.0**62), 2.0**63, float("nan"), float("-inf")]

    def convert_to_int64(torch):
        for n in (0, 1, 7, 8, 9, 32, 61):
            x = (torch.arange(n) * 7919 % 251 - 120) / 7
            for k, place in enumerate(beyond):
                x[place : place + 1] = odd[k % len(odd)]
            yield x.long().tolist()
            yield torch.cat([x, x])[::2].long().tolist()

    assert list(convert_to_int64(mt)) == list(convert_to_int64(oracle))


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int16", "int32", "int64"])
def test_powers_of_integers_wrap_around(mt, oracle, dtype):
    def raise_integers_to_powers(torch):
        bases = torch.arange(-130, 130)
        exponents = torch.cat([torch.arange(-8, 40), torch.arange(60, 2**31, 2**31 // 37)])
        bases, exponents = (t.to(getattr(torch, dtype)) for t in (bases, exponents))
        return [bases[:, None] ** exponents, bases**0, bases**4, bases**31, 3 ** exponents.abs()]

    assert [p.tolist() for p in raise_integers_to_powers(mt)] == [p.tolist() for p in raise_integers_to_powers(oracle)]


FLOAT8 = ("float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz")


def make_second_operand(torch, x):
    return torch.cat((x[2:], x[:2]))


NARROW = {
    "==": lambda t, x: x == make_second_operand(t, x),
    "!=": lambda t, x: x != make_second_operand(t, x),
    "== number": lambda t, x: x == 2,
    "eq_": lambda t, x: x.clone().eq_(make_second_operand(t, x)),
    "isnan": lambda t, x: x.isnan(),
    "abs": lambda t, x: x.abs(),
    "any": lambda t, x: [x.any(), x[1:].any(0, keepdim=True), x.reshape(2, -1).any(1)],
    "all": lambda t, x: [x.all(), x[1:].all(0, keepdim=True), x.reshape(2, -1).all(1)],
    "where": lambda t, x: t.where(x == make_second_operand(t, x), x, make_second_operand(t, x)),
    "x[mask]": lambda t, x: x[x == x],
    "steps": lambda t, x: (x.reshape(2, -1).t() == x.reshape(-1, 2)[:, :1]).to(t.uint8),
}
COMPLEX_HALF = {
    "== wider": lambda t, x: x == x.to(t.complex64),
    "+": lambda t, x: [x + make_second_operand(t, x), x + 2, t.add(x, make_second_operand(t, x), alpha=0.5)],
    "-": lambda t, x: [x - make_second_operand(t, x), 2 - x, x - (1 + 2j)],
    "*": lambda t, x: [x * make_second_operand(t, x), x * 2, x * t.ones(6)],
    "neg": lambda t, x: -x,
    "sgn": lambda t, x: x.sgn(),
    "isfinite": lambda t, x: [x.isfinite(), x.isinf()],
    "masked_fill": lambda t, x: x.masked_fill(x == x, 3),
    "nonzero": lambda t, x: [x.nonzero(), x.count_nonzero()],
    "norm": lambda t, x: [t.linalg.vector_norm(x[:4], order) for order in (2, 1, 3, float("inf"))],
    "in place": lambda t, x: x.clone().add_(x).mul_(2).sub_(x),
    "isclose": lambda t, x: t.isclose(x, make_second_operand(t, x)),
}


def _describe_narrow_result(torch, dtype, call):
    numbers = [0.5, -2.0, 0.0, 1.75, float("nan"), 2.0]
    if dtype == "complex32":
        numbers = [complex(a, -b) for a, b in zip(numbers, numbers[::-1], strict=True)]
    result = call(torch, torch.tensor(numbers).to(getattr(torch, dtype)))
    found = []
    for t in result if isinstance(result, list) else [result]:
        parts = torch.view_as_real(t) if t.is_complex() else t
        shown = parts.float() if parts.is_floating_point() else parts
        found.append((str(t.dtype).split(".")[1], tuple(t.shape), t.stride(), str(shown.tolist())))
    return found


@pytest.mark.parametrize("dtype", FLOAT8)
@pytest.mark.parametrize("name", NARROW)
def test_float8_compares_as_in_torch(mt, oracle, name, dtype):
    assert _describe_narrow_result(mt, dtype, NARROW[name]) == _describe_narrow_result(oracle, dtype, NARROW[name])


@pytest.mark.parametrize("name", [*NARROW, *COMPLEX_HALF])
def test_complex_half_computes_as_in_torch(mt, oracle, name):
    call = {**NARROW, **COMPLEX_HALF}[name]
    assert _describe_narrow_result(mt, "complex32", call) == _describe_narrow_result(oracle, "complex32", call)


@pytest.mark.parametrize("dtype", FLOAT8)
@pytest.mark.parametrize("order", [2, 1, 3, 0, float("inf")])
def test_norms_of_float8_are_refused_as_in_torch(mt, oracle, dtype, order):
    texts = []
    for torch in (mt, oracle):
        x = torch.ones(6).to(getattr(torch, dtype))
        with pytest.raises(NotImplementedError) as refused:
            torch.linalg.vector_norm(x, order)
        texts.append(str(refused.value))
    assert texts[0] == texts[1]
