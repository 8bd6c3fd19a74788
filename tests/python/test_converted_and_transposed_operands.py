"""Elementwise operators over converted, transposed or broadcast operands, processed block by block, match torch."""

import pytest

DTYPES = ("float16", "bfloat16", "float32", "float64", "int16", "bool", "complex64")


def make_matrix(torch, dtype, rows, columns):
    """Small numbers that every dtype can represent; rows differ."""
    return (torch.arange(rows * columns).reshape(rows, columns) * 37 % 19 - 9).to(getattr(torch, dtype))


@pytest.mark.parametrize("columns", [1, 15, 17, 63, 65, 255, 257, 1025, 4099])
@pytest.mark.parametrize("dtype", DTYPES)
def test_pointwise_operators_of_dense_strided_and_repeated_operands_match_torch(mt, oracle, dtype, columns):
    def apply_pointwise(torch):
        a, b = make_matrix(torch, dtype, 5, columns), make_matrix(torch, dtype, 5, 2 * columns)[:, ::2]
        other = make_matrix(torch, "float32", 5, columns)
        out = torch.zeros(5, 2 * columns, dtype=torch.complex64)[:, 1::2]
        results = (a * a, a * b, a * a[:, :1], a * a[:1], a[:, :1] * other, a * other[2, 0], a * b[:, :1] * 3)
        torch.mul(a, b[:1], out=out)
        return [(str(r.dtype), r.tolist()) for r in (*results, out, torch.where(a == b, a, other[:, :1]))]

    assert apply_pointwise(mt) == apply_pointwise(oracle)


@pytest.mark.parametrize("shape", [(2, 2), (16, 16), (33, 100), (130, 17), (64, 192)])
@pytest.mark.parametrize("dtype", ["uint8", "int16", "float32", "float64", "complex128"])
def test_transposed_copies_of_whole_and_partial_tiles_keep_every_element(mt, dtype, shape):
    rows, columns = shape
    a = (mt.arange(rows * columns) % 251).reshape(shape).to(getattr(mt, dtype))
    assert a.t().contiguous().tolist() == [[(i * columns + j) % 251 for i in range(rows)] for j in range(columns)]


@pytest.mark.parametrize("outer", [(), (3,), (2, 3)])
@pytest.mark.parametrize("shape", [(16, 16), (17, 64), (64, 17), (100, 257), (33, 1030)])
@pytest.mark.parametrize("dtype", [*DTYPES, "int8", "complex128"])
def test_operands_transposed_against_the_result(mt, oracle, dtype, shape, outer):
    rows, columns = shape

    def combine_with_transposed(torch):
        x = make_matrix(torch, dtype, torch.Size(outer).numel() * rows, columns)
        a, b = x.view(*outer, rows, columns), x.flip(0).view(*outer, columns, rows).transpose(-1, -2)
        wide = torch.zeros(*outer, rows, 2 * columns, dtype=a.dtype)
        results = [a * b, b * a * 3, a == b, torch.where(a != 0, a, b), b * b[..., :1, :1], a.clone().mul_(b)]
        results.append(torch.mul(b, a[..., :1], out=wide[..., ::2]))
        return [(r.stride(), r.to(torch.complex128).tolist()) for r in results]

    assert combine_with_transposed(mt) == combine_with_transposed(oracle)


def test_transposed_copy_larger_than_the_caches(mt):
    rows, columns = 1024, 3200  # 13 MB: uses streaming stores
    a = mt.arange(rows * columns, dtype=mt.int32).reshape(rows, columns)
    transposed = a.t().contiguous()
    along, down = mt.arange(rows, dtype=mt.int32) * columns, mt.arange(columns, dtype=mt.int32)
    expected = along.reshape(1, rows) + down.reshape(columns, 1)
    assert mt.equal(transposed, expected)


@pytest.mark.parametrize("dtype", ["float16", "float32", "int64"])
def test_results_larger_than_the_caches(mt, dtype):
    n = 67108864 // getattr(mt, dtype).itemsize + 13  # 64 MB: uses streaming stores if the caches are smaller
    a = (mt.arange(n, dtype=mt.int32) % 61).to(getattr(mt, dtype))
    at_odd_places = mt.empty(n + 1, dtype=a.dtype)[1:]
    mt.mul(a, a, out=at_odd_places)
    for result, f in (
        (a + a, lambda x: x * 2),
        (at_odd_places, lambda x: x * x),
        (a.clone(), lambda x: x),
        (a.clone().add_(a), lambda x: x * 2),
    ):
        for start in range(0, n, 61 << 16):  # parts that fit into the caches, with equal beginnings
            piece = result[start : start + (61 << 16)]
            assert mt.equal(piece, f(a[: piece.numel()]))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_types_round_in_every_lane(mt, oracle, dtype):
    def multiply_and_add(torch):
        a = (torch.arange(3001) * 0.37 - 500).to(getattr(torch, dtype))
        a[1500::700] = float("inf")
        return (a * 1.3 + a).tolist()

    assert multiply_and_add(mt) == multiply_and_add(oracle)


@pytest.mark.parametrize("exponent", [0, 1, 1.0, -1, -1.0, 2, 3, 0.5])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int32", "complex64"])
def test_powers_that_have_kernels_of_their_own(mt, oracle, dtype, exponent):
    def raise_to_power(torch):
        a = torch.tensor([1, 2, 3, 7, 100, -4]).to(getattr(torch, dtype))
        try:
            result = a**exponent
        except RuntimeError as error:
            return str(error)
        return result.dtype == a.dtype, result.to(torch.complex128)

    ours, theirs = raise_to_power(mt), raise_to_power(oracle)
    if isinstance(theirs, str):
        assert ours == theirs
    else:
        assert ours[0] == theirs[0]
        for x, y in zip(ours[1].tolist(), theirs[1].tolist(), strict=True):
            assert x == y or abs(x - y) <= 1e-6 * abs(y) or (x != x and y != y)


def are_close(ours, theirs, oracle, tolerance):
    """Equal up to `tolerance`, relative for numbers above one; infinities and NaN at the same indices."""
    a, b = oracle.tensor(ours.double().tolist(), dtype=oracle.float64), theirs.double()
    return bool(oracle.isclose(a, b, rtol=tolerance, atol=tolerance, equal_nan=True).all())


ROWS = {
    "softmax": lambda t, x: t.softmax(x, -1),
    "log_softmax": lambda t, x: t.log_softmax(x, -1),
    "layer_norm": lambda t, x: t.nn.functional.layer_norm(x, x.shape[-1:], x[0], x[1]),
    "sum": lambda t, x: x.sum(-1),
    "sum of columns": lambda t, x: x.sum(0),
    "mean": lambda t, x: x.mean(-1),
    "amax": lambda t, x: x.amax(-1),
    "argmin": lambda t, x: x.argmin(-1),
    "prod of strided": lambda t, x: x[:, ::2].prod(0),
}


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("columns", [1, 3, 33, 255, 4099])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_row_functions_of_half_types_match_torch(mt, oracle, dtype, columns, name):
    def call_and_differentiate(torch):
        x = (
            ((torch.arange(6 * columns) * 37 % 101 - 50) / 16)
            .view(6, columns)
            .to(getattr(torch, dtype))
            .requires_grad_()
        )
        y = ROWS[name](torch, x)
        if y.is_floating_point():
            y.backward(torch.linspace(-1, 1, y.numel()).view(y.shape).to(y.dtype))
        return y.detach(), x.grad if x.grad is not None else y

    tolerance = 1e-2 if dtype == "float16" else 4e-2
    for ours, theirs in zip(call_and_differentiate(mt), call_and_differentiate(oracle), strict=True):
        assert are_close(ours, theirs, oracle, tolerance)


@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
@pytest.mark.parametrize("sizes", [(7, 16), (300, 129), (3, 5, 40), (2, 70, 3, 17)])
@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16"])
def test_softmax_down_columns_matches_torch(mt, oracle, dtype, sizes, name):
    def softmax_and_differentiate(torch):
        count = torch.Size(sizes).numel()
        x = ((torch.arange(count) * 37 % 101 - 50) / 16).view(sizes).to(getattr(torch, dtype))
        x.view(-1)[5] = float("nan")
        x.select(-2, 0).select(-1, 1).fill_(float("inf"))
        x.select(-1, 2).fill_(-float("inf"))
        x.requires_grad_()
        y = getattr(torch, name)(x, -2 if len(sizes) == 2 else 1)
        y.backward(torch.linspace(-1, 1, count).view(sizes).to(y.dtype))
        return y.detach(), x.grad

    tolerance = 2e-2 if dtype == "bfloat16" else 2e-6
    for ours, theirs in zip(softmax_and_differentiate(mt), softmax_and_differentiate(oracle), strict=True):
        assert are_close(ours, theirs, oracle, tolerance)


@pytest.mark.parametrize("order", [3, 0.5, -1, -2.5, 7])
@pytest.mark.parametrize("value", [0.0, float("inf"), float("nan"), -3.0])
@pytest.mark.parametrize("dtype", ["float32", "float16", "float64"])
def test_norms_of_any_order_match_torch(mt, oracle, dtype, value, order):
    def take_norms(torch):
        x = ((torch.arange(3 * 700) % 41 + 1) / 8).view(3, 700).to(getattr(torch, dtype))
        x[1, 13] = value
        return torch.linalg.vector_norm(x, order, 1)

    assert are_close(take_norms(mt), take_norms(oracle), oracle, 2e-3 if dtype == "float16" else 1e-6)


@pytest.mark.parametrize("p", [0.5, 1.0, 2.0, 3.0, float("inf")])
@pytest.mark.parametrize("columns", [1, 15, 16, 37])
def test_distances_of_any_order_match_torch(mt, oracle, columns, p):
    def measure_distances(torch):
        x = ((torch.arange(9 * columns) * 37 % 101 - 50) / 16).view(9, columns).requires_grad_()
        y = torch.cat((torch.nn.functional.pdist(x, p), torch.cdist(x, x.detach().flip(0) + 1, p).flatten()))
        y.sum().backward()
        return y.detach(), x.grad

    for ours, theirs in zip(measure_distances(mt), measure_distances(oracle), strict=True):
        assert are_close(ours, theirs, oracle, 1e-5)


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "int32"])
def test_clamp_between_bounds_matches_torch(mt, oracle, dtype):
    def clamp_values(torch):
        x = torch.tensor([float("nan"), -2.0, -0.0, 0.0, 1.0, 5.0, float("inf")])
        x = x.to(getattr(torch, dtype)) if dtype != "int32" else torch.arange(-3, 4, dtype=torch.int32)
        low = torch.tensor([0.0, float("nan"), -1.0, 9.0, 1.0, 1.0, 0.0]).nan_to_num(
            0 if dtype == "int32" else float("nan")
        )
        return [
            repr(r)
            for r in (x.clamp(-1, 2), x.clamp(3, 1), x.clamp(low.to(x.dtype), (low * 0 + 2).nan_to_num(1).to(x.dtype)))
        ]

    assert clamp_values(mt) == clamp_values(oracle)
