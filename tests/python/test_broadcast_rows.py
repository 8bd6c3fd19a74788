"""Pointwise operators over short rows, shared rows and repeated elements: torch's results, whatever the layout."""

import random

import pytest

WIDTHS = (1, 2, 3, 5, 8, 16, 31, 64, 100, 130, 300, 1100)
# How an operand of shape (b, n, w) is laid out, or what of it is broadcast.
LAYOUTS = {
    "dense": lambda x: x,
    "column": lambda x: x[..., :1],
    "shared row": lambda x: x[:1, :1],
    "row of each": lambda x: x[:, :1],
    "plane": lambda x: x[:1],
    "number": lambda x: x[:1, :1, :1],
    "rows apart": lambda x: x.repeat(1, 1, 2)[..., : x.shape[-1]],
    "elements apart": lambda x: x.repeat_interleave(2, -1)[..., ::2],
    "turned": lambda x: x.transpose(1, 2).contiguous().transpose(1, 2),
    "planes last": lambda x: x.permute(1, 2, 0).contiguous().permute(2, 0, 1),
}
DTYPES = ("float32", "float64", "float16", "bfloat16", "int64", "uint8", "bool", "complex64")


def operand(torch, shape, layout, dtype, offset):
    count = torch.Size(shape).numel()
    x = ((torch.arange(count) + offset) * 7919 % 23).reshape(shape)
    return LAYOUTS[layout]((x > 11) if dtype == "bool" else x.to(getattr(torch, dtype)))


def described(x):
    return tuple(x.shape), x.stride(), str(x.dtype).split(".")[-1], x.tolist()


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

        def run(torch, shape=shape, other=other, first=first, second=second, name=name):
            a, b = operand(torch, shape, layout, first, 0), operand(torch, shape, other, second, 5)
            return getattr(torch, name)(a, b)

        ours, theirs = run(mt), run(oracle)
        case = (shape, layout, other, first, second, name)
        assert described(ours) == described(theirs), case


@pytest.mark.parametrize("into", ["rows apart", "elements apart", "turned", "planes last", "a corner"])
@pytest.mark.parametrize("width", WIDTHS)
def test_results_are_written_where_they_belong_and_nowhere_else(mt, oracle, width, into):
    def run(torch, dtype):
        whole = torch.zeros(3, 14, 2 * width, dtype=getattr(torch, dtype))
        out = {
            "rows apart": whole[:, ::2, :width],
            "elements apart": whole[:, :7, ::2],
            "turned": whole.view(3, 2 * width, 14)[:, ::2, :7].transpose(1, 2),
            "planes last": whole.view(14, 2 * width, 3)[::2, :width].permute(2, 0, 1),
            "a corner": whole[:, 7:, width:],
        }[into]
        a, b = (operand(torch, (3, 7, width), layout, "float32", 3) for layout in ("dense", "column"))
        torch.add(a, b, out=out)
        out.mul_(b)
        return whole.tolist()

    for dtype in ("float32", "float64", "bfloat16"):
        assert run(mt, dtype) == run(oracle, dtype)


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_threads_that_begin_within_a_row(mt, threads):
    before = mt.get_num_threads()
    mt.set_num_threads(threads)
    try:
        for width in (3, 17, 129, 1025):
            rows = 300007 // width
            x, row, column = (
                operand(mt, s, "dense", "float32", 1) for s in ((rows, 2, width), (1, 1, width), (rows, 2, 1))
            )
            dense = [part.expand_as(x).contiguous() for part in (row, column)]
            assert mt.equal(x + row - column, x + dense[0] - dense[1])
    finally:
        mt.set_num_threads(before)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("number", [2.5, -3, 0.1, float("nan"), 2**53 + 1, 1e300, -0.0])
def test_numbers_beside_floats_of_any_count(mt, oracle, number, dtype):
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

        def run(torch, call, count=count):
            x = (torch.arange(count) * 7919 % 23 - 11).to(getattr(torch, dtype))
            try:
                return [(r.dtype.itemsize, str(r.tolist())) for r in (call(torch, x), call(torch, x[:1].squeeze()))]
            except RuntimeError as error:  # a number beyond the dtype
                return str(error)

        for call in calls:
            assert run(mt, call) == run(oracle, call), count
