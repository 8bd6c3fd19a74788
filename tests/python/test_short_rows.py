"""Operators along a short last dimension, over many rows, match torch for any layout."""

import pytest
from outcomes import exact

WIDTHS = (1, 2, 3, 5, 8, 12, 16, 17, 40)
ROWS = (1, 2, 63, 130, 1025)
LAYOUTS = {
    "dense": lambda x: x,
    "every other row": lambda x: x.repeat_interleave(2, 0)[::2],
    "elements apart": lambda x: x.repeat_interleave(2, -1)[..., ::2],
    "transposed": lambda x: x.t().contiguous().t(),
    "rows apart": lambda x: x.repeat(1, 2)[:, : x.shape[1]],
    "one row": lambda x: x[:1].expand_as(x),
    "later in memory": lambda x: x.new_zeros(x.numel() + 1)[1:].view(x.shape).copy_(x),
}


def make_numbers(torch, rows, width, dtype="float32"):
    count = rows * width
    return (torch.arange(count) * 7919 % 37 - 18).view(rows, width).to(getattr(torch, dtype))


def make_indices(torch, rows, width, bound):
    return (torch.arange(rows * width) * 104729 % 8191 % bound).view(rows, width)


def describe_tensor(x):
    strides = [step for step, size in zip(x.stride(), x.shape, strict=True) if size > 1 and x.numel() > 0]
    return tuple(x.shape), strides, str(x.dtype).split(".")[-1], exact(x)


def gather_and_scatter(t, lay, rows, width, dim):
    x, whole, half = (make_numbers(t, rows, width, dtype) for dtype in ("float32", "int64", "bfloat16"))
    bound = (rows, width)[dim]
    index = make_indices(t, rows, width, bound)
    vector = t.tensor([k * 7 % bound for k in range(bound)])
    yield lay(x).gather(dim, index)
    yield x.gather(dim, lay(index))
    yield lay(x).scatter_add(dim, lay(index), x)
    yield whole.scatter_reduce(dim, lay(index), lay(whole), "amax")
    yield lay(half).index_select(dim, t.cat([vector, vector[:1]]))
    yield lay(x).index_select(dim, vector[::2])
    yield lay(x).index_add(dim, vector, x, alpha=2)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("width", WIDTHS)
def test_gather_and_scatter_of_short_rows_match_torch(mt, oracle, width, layout):
    for rows in ROWS:
        for dim in (0, 1):
            both = (gather_and_scatter(t, LAYOUTS[layout], rows, width, dim) for t in (mt, oracle))
            for ours, theirs in zip(*both, strict=True):
                assert describe_tensor(ours) == describe_tensor(theirs)


@pytest.mark.parametrize("shape", [(2000, 2), (2000, 12), (3, 700, 4), (700, 3, 4)])
def test_one_index_outside_among_many_is_refused(mt, oracle, shape):
    def read_error_of_outside_index(t, dim, at, value):
        index = t.zeros(shape, dtype=t.int64)
        index.view(-1)[at] = value
        with pytest.raises((RuntimeError, IndexError)) as caught:
            t.zeros(shape).gather(dim, index)
        return str(caught.value)

    for dim in range(len(shape)):
        for at in (0, 1027, -1):
            for value in (-1, shape[dim]):
                assert read_error_of_outside_index(mt, dim, at, value) == read_error_of_outside_index(
                    oracle, dim, at, value
                )


def yield_row_copies(t, lay, rows, width, dtype):
    x = lay(make_numbers(t, rows, width).abs().to(getattr(t, dtype)))
    yield x.flip(1)
    yield x.flip(0)
    yield x.flip(0, 1)
    yield x[:, ::2].contiguous()
    yield x[:, 1::3].contiguous()
    yield t.zeros(width, rows, dtype=x.dtype).copy_(x.t())


@pytest.mark.parametrize("dtype", ["uint8", "bfloat16", "float32", "float64", "complex128"])
@pytest.mark.parametrize("width", WIDTHS)
def test_reversed_and_strided_copies_of_short_rows_match_torch(mt, oracle, width, dtype):
    for rows in (1, 63, 64, 300):
        for lay in LAYOUTS.values():
            both = (yield_row_copies(t, lay, rows, width, dtype) for t in (mt, oracle))
            for ours, theirs in zip(*both, strict=True):
                assert describe_tensor(ours) == describe_tensor(theirs)


def make_rows_with_special_values(torch, rows, width, dtype):
    x = make_numbers(torch, rows, width, dtype) / 3
    x[rows // 2] = -torch.inf
    x[rows // 3, width // 2] = torch.nan
    x[rows // 4, 0] = torch.inf
    x[rows // 5, -1] = -torch.inf
    return x


TOLERANCE = {"float32": 3e-5, "float64": 1e-9, "bfloat16": 3e-2, "float16": 3e-2}


def normalise_rows(t, x):
    F, width = t.nn.functional, x.shape[1]
    weight, bias = x.new_ones(width) * 3, x.new_ones(width)
    yield t.softmax(x, 1)
    yield t.softmax(x[:, :, None].expand(-1, -1, 3), 1)
    yield t.log_softmax(x, 1)
    yield F.layer_norm(x, (width,))
    yield F.layer_norm(x, (width,), weight)
    yield F.layer_norm(x, (width,), None, bias)
    yield F.layer_norm(x, (width,), weight, bias)
    yield F.cross_entropy(x, t.arange(len(x)) % width, reduction="none")


def normalise_and_differentiate(t, lay, rows, width, dtype):
    x = lay(make_rows_with_special_values(t, rows, width, dtype)).detach().requires_grad_()
    for y in normalise_rows(t, x):
        yield y
        yield t.autograd.grad(y, x, make_numbers(t, 1, y.numel(), dtype).view(y.shape) / 64)[0]


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("width", [*WIDTHS, 24, 47, 100])
def test_softmax_and_normalisation_of_short_rows_match_torch(mt, oracle, width, layout, dtype):
    for rows in ROWS:
        both = (normalise_and_differentiate(t, LAYOUTS[layout], rows, width, dtype) for t in (mt, oracle))
        for k, (ours, theirs) in enumerate(zip(*both, strict=True)):
            theirs = mt.from_numpy(theirs.detach().double().numpy())
            bound = TOLERANCE[dtype]
            try:
                mt.testing.assert_close(ours.double(), theirs, rtol=bound, atol=bound * 3, equal_nan=True)
            except AssertionError as error:
                raise AssertionError(f"result {k} of {rows} rows: {error}") from None


ROW_OPERATORS = {
    "softmax": lambda t, x: t.softmax(x, 1),
    "log_softmax": lambda t, x: t.log_softmax(x, 1),
    "layer_norm": lambda t, x: t.nn.functional.layer_norm(x, x.shape[1:]),
}


@pytest.mark.parametrize("name", ROW_OPERATORS)
def test_row_result_does_not_depend_on_its_position(mt, name):
    run = ROW_OPERATORS[name]
    before = mt.get_num_threads()
    try:
        for width in (*WIDTHS, 24, 47, 100, 2100):
            mt.set_num_threads(1)
            x = mt.randn(300, width)
            whole = run(mt, x)
            for first, last in ((0, 1), (5, 6), (127, 130), (299, 300), (1, 258)):
                assert mt.equal(run(mt, x[first:last]), whole[first:last])
            for threads in (1, 2, 3):
                mt.set_num_threads(threads)
                assert mt.equal(run(mt, x.repeat(40, 1)), whole.repeat(40, 1))
    finally:
        mt.set_num_threads(before)


def sort_and_select_rows(t, lay, rows, width, dtype):
    x = lay(make_numbers(t, rows, width, dtype))
    if x.is_floating_point():
        x = x.where(x.abs() < 17, x.new_tensor(t.nan)) * lay(make_numbers(t, rows, width, dtype)).sign()
    yield from x.sort(dim=1, stable=True)
    yield from x.sort(dim=1, stable=True, descending=True)
    for k in {1, (width + 1) // 2, width}:
        yield from x.topk(k, 1)
        yield from x.topk(k, 1, largest=False)
    whole = x.clone(memory_format=t.contiguous_format)
    if width > 1:
        t.sort(whole, dim=1, stable=True, out=(whole, t.empty(0, dtype=t.int64)))
    yield whole


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "int32", "uint8"])
@pytest.mark.parametrize("width", WIDTHS)
def test_sorted_short_rows_match_torch(mt, oracle, width, dtype):
    for rows in (1, 31, 32, 127, 300):
        for lay in LAYOUTS.values():
            both = (sort_and_select_rows(t, lay, rows, width, dtype) for t in (mt, oracle))
            for ours, theirs in zip(*both, strict=True):
                assert exact(ours) == exact(theirs)


@pytest.mark.parametrize("width", WIDTHS)
def test_running_sums_and_nonzero_of_short_rows_match_torch(mt, oracle, width):
    def find_sums_and_true_elements(t, rows, lay):
        for dtype in ("float32", "float64", "bfloat16", "int64"):
            yield lay(make_numbers(t, rows, width, dtype)).cumsum(1)
        x = lay(make_numbers(t, rows, width, "int64"))
        yield (x > 9).nonzero()
        yield (x > 9).view(rows, width, 1).expand(rows, width, 3).nonzero()
        yield (x > 99).nonzero()
        yield x.double()[(x > 3).any(1)]

    for rows in (1, 31, 300, 9001):
        for lay in LAYOUTS.values():
            for ours, theirs in zip(*(find_sums_and_true_elements(t, rows, lay) for t in (mt, oracle)), strict=True):
                assert describe_tensor(ours) == describe_tensor(theirs)
