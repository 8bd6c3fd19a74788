"""Pointwise operators over short rows, shared rows and repeated elements match torch for any layout."""

import random

import pytest
from outcomes import exact

WIDTHS = (1, 2, 3, 5, 8, 16, 31, 64, 100, 130, 300, 1100)
# How to lay out an operand of shape (b, n, w), or which dimensions to broadcast.
LAYOUTS = {
    "dense": lambda x: x,
    "column": lambda x: x[..., :1],
    "shared row": lambda x: x[:1, :1],
    "row of each": lambda x: x[:, :1],
    "plane": lambda x: x[:1],
    "number": lambda x: x[:1, :1, :1],
    "rows apart": lambda x: x.repeat(1, 1, 2)[..., : x.shape[-1]],
    "elements apart": lambda x: x.repeat_interleave(2, -1)[..., ::2],
    "transposed": lambda x: x.transpose(1, 2).contiguous().transpose(1, 2),
    "planes last": lambda x: x.permute(1, 2, 0).contiguous().permute(2, 0, 1),
}
DTYPES = ("float32", "float64", "float16", "bfloat16", "int64", "uint8", "bool", "complex64")


def make_operand(torch, shape, layout, dtype, offset):
    count = torch.Size(shape).numel()
    x = ((torch.arange(count) + offset) * 7919 % 23).reshape(shape)
    return LAYOUTS[layout]((x > 11) if dtype == "bool" else x.to(getattr(torch, dtype)))


def describe_tensor(x):
    return tuple(x.shape), x.stride(), str(x.dtype).split(".")[-1], exact(x)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("width", WIDTHS)
def test_two_operands_of_any_layout_and_dtype(mt, oracle, layout, width):
    draw = random.Random(f"{layout} {width}")
    for _ in range(40):
        shape = (draw.choice((1, 2, 3)), draw.choice((1, 2, 7, 40)), width)
        other, first, second = draw.choice(list(LAYOUTS)), draw.choice(DTYPES), draw.choice(DTYPES)
        name = draw.choice(("add", "mul", "maximum", "eq", "ne"))
        if name == "maximum" and "complex64" in (first, second):
            name = "add"

        def call_operator(torch, shape=shape, other=other, first=first, second=second, name=name):
            a, b = make_operand(torch, shape, layout, first, 0), make_operand(torch, shape, other, second, 5)
            return getattr(torch, name)(a, b)

        ours, theirs = call_operator(mt), call_operator(oracle)
        case = (shape, layout, other, first, second, name)
        assert describe_tensor(ours) == describe_tensor(theirs), case


@pytest.mark.parametrize("into", ["rows apart", "elements apart", "transposed", "planes last", "a corner"])
@pytest.mark.parametrize("width", WIDTHS)
def test_results_are_written_where_they_belong_and_nowhere_else(mt, oracle, width, into):
    def write_into_out_view(torch, dtype):
        whole = torch.zeros(3, 14, 2 * width, dtype=getattr(torch, dtype))
        out = {
            "rows apart": whole[:, ::2, :width],
            "elements apart": whole[:, :7, ::2],
            "transposed": whole.view(3, 2 * width, 14)[:, ::2, :7].transpose(1, 2),
            "planes last": whole.view(14, 2 * width, 3)[::2, :width].permute(2, 0, 1),
            "a corner": whole[:, 7:, width:],
        }[into]
        a, b = (make_operand(torch, (3, 7, width), layout, "float32", 3) for layout in ("dense", "column"))
        torch.add(a, b, out=out)
        out.mul_(b)
        return whole.tolist()

    for dtype in ("float32", "float64", "bfloat16"):
        assert write_into_out_view(mt, dtype) == write_into_out_view(oracle, dtype)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_threads_that_begin_within_a_row(mt, threads):
    before = mt.get_num_threads()
    mt.set_num_threads(threads)
    try:
        for width in (3, 17, 129, 1025):
            rows = 300007 // width
            x, row, column = (
                make_operand(mt, s, "dense", "float32", 1) for s in ((rows, 2, width), (1, 1, width), (rows, 2, 1))
            )
            dense = [part.expand_as(x).contiguous() for part in (row, column)]
            assert mt.equal(x + row - column, x + dense[0] - dense[1])
    finally:
        mt.set_num_threads(before)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("number", [2.5, -3, 0.1, float("nan"), 2**53 + 1, 1e300, -0.0])
def test_number_operands_with_any_count_of_floats(mt, oracle, number, dtype):
    calls = [
        lambda torch, x: x * number,
        lambda torch, x: number - x,
        lambda torch, x: torch.maximum(x, torch.tensor(1.5, dtype=x.dtype)) + number,
        lambda torch, x: x < number,
        lambda torch, x: torch.add(x, number, alpha=2),
        lambda torch, x: torch.where(x > 0, x, number),
        lambda torch, x: torch.fmod(x, number),
    ]
    for count in (0, 1, 255, 256, 257, 1000, 40000):

        def apply_number_operands(torch, call, count=count):
            x = (torch.arange(count) * 7919 % 23 - 11).to(getattr(torch, dtype))
            try:
                return [(r.dtype.itemsize, exact(r)) for r in (call(torch, x), call(torch, x[:1].squeeze()))]
            except RuntimeError as error:  # a number outside the dtype's range
                return str(error)

        for call in calls:
            assert apply_number_operands(mt, call) == apply_number_operands(oracle, call), count


def make_special_rows(torch, rows, width, dtype):
    """Rows of ordinary numbers mixed with infinities, NaN, zeros of both signs and the smallest numbers."""
    x = (torch.arange(rows * width) * 7919 % 1009 - 500).reshape(rows, width)
    if not dtype.startswith(("float", "bfloat")):
        return x.to(getattr(torch, dtype))
    flat = x.to(torch.float64).flatten() / 16
    for place, value in enumerate((float("inf"), float("-inf"), float("nan"), 0.0, -0.0, 1e-40, -1e-7, 3e38)):
        flat[place * 5 + 3 :: 97] = value
    return flat.reshape(rows, width).to(getattr(torch, dtype))


def describe_row(x):
    return str(x.dtype).split(".")[-1], tuple(x.shape), x.stride(), exact(x)


@pytest.mark.parametrize("dtype", ("float32", "float64", "float16", "bfloat16", "int64", "int32"))
@pytest.mark.parametrize("width", (1, 7, 8, 15, 16, 17, 33, 64, 100, 300))
def test_arithmetic_with_columns_and_numbers(mt, oracle, width, dtype):
    """Elements that are shared by a whole row, on either side, of the same and of other dtypes; also in place."""

    def compute_with_columns_and_numbers(torch):
        x = make_special_rows(torch, 70, width, dtype)
        another = "int32" if "int" in dtype else "bfloat16"
        columns = [make_special_rows(torch, 70, 1, dtype), make_special_rows(torch, 70, 1, another)]
        numbers = [3, -7] if "int" in dtype else [0.375, -7, float("inf"), float("nan")]
        results = []
        for name in ("add", "sub", "mul", "div"):
            f = getattr(torch, name)
            for other in columns + numbers + [torch.tensor(numbers[0])]:
                results.append(f(x, other))
                if isinstance(other, torch.Tensor):
                    results.append(f(other, x))
                if name != "div" or "int" not in dtype:
                    apart = torch.cat([x, x], 1)[:, :width]
                    results.append(getattr(apart, name + "_")(other))
            results.append(f(x.view(7, 10, width), columns[0].view(7, 10, 1)[:, :1]))
            results.append(f(x.t(), columns[0].t()))
        results.append(5 - x)
        return [describe_row(r) for r in results]

    assert compute_with_columns_and_numbers(mt) == compute_with_columns_and_numbers(oracle)


@pytest.mark.parametrize("dtype", ("float32", "float64", "float16", "bfloat16", "int64", "uint8"))
@pytest.mark.parametrize("width", (1, 9, 16, 45, 1000))
def test_clamps_between_numbers(mt, oracle, width, dtype):
    def clamp_rows(torch):
        x = make_special_rows(torch, 70, width, dtype)
        results = []
        for low, high in ((-5, 9), (3, None), (None, 3), (0, 0), (9, 2)):
            if dtype == "uint8" and low == -5:
                low = 5
            results.append(torch.clamp(x, low, high))
            results.append(x.clone().clamp_(low, high))
            results.append(torch.cat([x, x], 1)[:, :width].clamp_(low, high))
            results.append(x.t().clamp(low, high))
        if "int" not in dtype:
            results += [x.clamp(-0.3, 0.7), x.clamp(float("nan"), 1.0), x.clamp(float("-inf"), 0.1)]
            results.append(torch.nn.functional.hardtanh(x, -2.5, 2.5))
        return [describe_row(r) for r in results]

    assert clamp_rows(mt) == clamp_rows(oracle)


def test_a_shared_element_is_read_before_its_row_is_written(mt):
    for dtype in (mt.float32, mt.bfloat16):
        wide = mt.arange(70 * 40, dtype=mt.float32).remainder(16).reshape(70, 40).to(dtype)
        x = wide[:, :33]
        expected = x + x[:, :1].clone()
        assert x.add_(x[:, :1]).tolist() == expected.tolist()


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_threads_that_begin_within_a_row_of_columns(mt, threads):
    before = mt.get_num_threads()
    mt.set_num_threads(threads)
    try:
        for dtype in (mt.float32, mt.bfloat16):
            for width in (17, 129, 40000):
                x = mt.arange(200000 // width * width).remainder(97).reshape(-1, width).to(dtype)
                column = mt.arange(len(x)).remainder(5).reshape(-1, 1)
                assert (x - column.to(dtype)).equal((x.int() - column.int()).to(dtype))
                assert (column.to(dtype) - x).equal((column.int() - x.int()).to(dtype))
    finally:
        mt.set_num_threads(before)
