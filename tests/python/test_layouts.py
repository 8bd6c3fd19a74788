"""Strides of empty results, and of dimensions of size 1, match real torch 2.13."""

import itertools

import pytest

SHAPES = [(1, 0, 3), (0, 3, 2), (2, 3, 0), (0, 4), (2, 0, 3, 2)]
CALLS = {
    "rms_norm": lambda t, x: t.nn.functional.rms_norm(x, x.shape[-1:]),
    "rms_norm with weights": lambda t, x: t.nn.functional.rms_norm(x, x.shape[1:], t.ones(x.shape[1:])),
    "x * 2": lambda t, x: x * 2,
    "x > 0": lambda t, x: x > 0,
    "x % 2": lambda t, x: x % 2,
    "1 - x": lambda t, x: 1 - x,
    "x + x": lambda t, x: x + x,
    "x + row": lambda t, x: x + t.ones(x.shape[-1]),
    "where": lambda t, x: t.where(x > 0, x, 0.0),
    "square": lambda t, x: x**2,
    "leaky_relu": lambda t, x: t.nn.functional.leaky_relu(x),
    "elu": lambda t, x: t.nn.functional.elu(x),
    "clamp": lambda t, x: x.clamp(0, 1),
    "clamp from below": lambda t, x: x.clamp(min=0),
    "lerp": lambda t, x: t.lerp(x, x, 0.5),
    "alpha": lambda t, x: t.add(x, x, alpha=2),
    "into an empty out": lambda t, x: t.add(x, 1, out=t.empty(0)),
    "softplus": lambda t, x: t.nn.functional.softplus(x),
}


def lay_out_results(torch, call, tensors):
    results = [CALLS[call](torch, x) for x in tensors(torch)]
    return [(tuple(y.shape), y.stride()) for y in results]


@pytest.mark.parametrize("call", list(CALLS))
def test_results_without_elements_are_laid_out_as_in_torch(call, mt, oracle):
    def make_empty_tensors(torch):
        return [torch.ones(s).permute(order) for s in SHAPES for order in itertools.permutations(range(len(s)))]

    assert lay_out_results(mt, call, make_empty_tensors) == lay_out_results(oracle, call, make_empty_tensors)


@pytest.mark.parametrize("call", [call for call in CALLS if not call.startswith("rms_norm")])
def test_strides_of_dimensions_of_one_are_torchs(call, mt, oracle):
    layouts = [
        ((3, 1), (1, 5)),
        ((1, 3), (9, 1)),
        ((2, 1, 3), (3, 1, 1)),
        ((2, 1, 3), (1, 7, 2)),
        ((2, 1, 3), (1, 1, 2)),
    ]

    def make_strided_tensors(torch):
        return [torch.ones(60).as_strided(*layout) for layout in layouts]

    assert lay_out_results(mt, call, make_strided_tensors) == lay_out_results(oracle, call, make_strided_tensors)


@pytest.mark.parametrize("shape", [(0, 2, 3, 4), (2, 0, 3, 4), (2, 3, 0, 4), (2, 3, 4, 0), (1, 0, 1, 4), (0, 1, 1, 1)])
def test_channels_last_counts_empty_dimensions_as_torch_does(shape, mt, oracle):
    def describe_layouts(torch):
        last = torch.channels_last
        made = torch.empty(shape, memory_format=last)
        plain = torch.empty(shape)
        made_from = made.contiguous(), made + 1, made.clone(), torch.empty_like(made), torch.relu(made)
        made_last = plain.contiguous(memory_format=last), plain.to(memory_format=last)
        normed = torch.nn.functional.rms_norm(made, shape[3:])
        results = (made, *made_from, plain, *made_last, normed)
        return [(y.stride(), y.is_contiguous(memory_format=last)) for y in results]

    assert describe_layouts(mt) == describe_layouts(oracle)


@pytest.mark.parametrize(
    "call",
    [
        lambda t, a, b: t.rsub(a, b),
        lambda t, a, b: t.rsub(a, b, alpha=2),
        lambda t, a, b: t.rsub(a[:1], b),
        lambda t, a, b: t.rsub(a, b, alpha=t.tensor(2).item()) + 0,
        lambda t, a, b: t.rsub(a, 1),
        lambda t, a, b: 2**a,
    ],
)
@pytest.mark.parametrize("transposed", [(0,), (1,), (0, 1), ()])
def test_rsub_result_has_the_strides_of_its_second_operand(call, transposed, mt, oracle):
    def strides_of_rsub(t):
        pair = [t.arange(6.0).view(3, 2).t() if i in transposed else t.arange(6.0).view(2, 3) for i in (0, 1)]
        result = call(t, *pair)
        return result.stride(), result.tolist()

    assert strides_of_rsub(mt) == strides_of_rsub(oracle)
