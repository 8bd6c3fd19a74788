"""Convolutions, unfold and fold: values, strides, errors and gradients match real torch."""

import pytest
from outcomes import outcome


def _make_input(t, *shape, dtype="float32"):
    count = 1
    for size in shape:
        count *= size
    values = (t.arange(count) * 37 % 23 - 11).to(t.float64) / 8
    return values.reshape(shape).to(getattr(t, dtype))


def _to_channels_last(t, x):
    return x.contiguous(memory_format=t.channels_last if x.dim() == 4 else t.channels_last_3d)


# Small integers divided by powers of two: sums are exact in every order, so results are compared bit by bit.
CALLS = {
    "conv1d": lambda t, f: f.conv1d(_make_input(t, 2, 3, 9), _make_input(t, 4, 3, 3), _make_input(t, 4)),
    "conv1d of a strided input": lambda t, f: f.conv1d(
        _make_input(t, 2, 9, 3).transpose(1, 2), _make_input(t, 4, 3, 3)
    ),
    "conv2d": lambda t, f: f.conv2d(_make_input(t, 2, 4, 8, 7), _make_input(t, 6, 4, 3, 2), _make_input(t, 6), 2, 1),
    "conv2d without batch": lambda t, f: f.conv2d(_make_input(t, 4, 8, 8), _make_input(t, 6, 4, 3, 3)),
    "conv2d dilated": lambda t, f: f.conv2d(
        _make_input(t, 2, 4, 9, 9), _make_input(t, 6, 4, 3, 3), dilation=(2, 3), padding=(1, 4)
    ),
    "conv2d in groups": lambda t, f: f.conv2d(_make_input(t, 2, 4, 8, 8), _make_input(t, 6, 2, 3, 3), groups=2),
    "conv2d depthwise": lambda t, f: f.conv2d(
        _make_input(t, 2, 8, 9, 9), _make_input(t, 8, 1, 3, 3), stride=2, padding=1, groups=8
    ),
    "conv2d depthwise twice": lambda t, f: f.conv2d(
        _make_input(t, 2, 8, 9, 9), _make_input(t, 16, 1, 3, 3), padding=2, groups=8
    ),
    "conv2d depthwise of wide lines": lambda t, f: f.conv2d(
        _make_input(t, 2, 5, 7, 37), _make_input(t, 5, 1, 3, 3), _make_input(t, 5), padding=(1, 2), groups=5
    ),
    "conv2d depthwise twice of wide lines": lambda t, f: f.conv2d(
        _make_input(t, 2, 5, 6, 18), _make_input(t, 10, 1, 3, 3), groups=5
    ),
    "conv2d depthwise of few wide lines": lambda t, f: f.conv2d(
        _make_input(t, 2, 5, 3, 50), _make_input(t, 5, 1, 3, 3), groups=5
    ),
    "conv3d depthwise of wide lines": lambda t, f: f.conv3d(
        _make_input(t, 2, 5, 5, 9, 33), _make_input(t, 5, 1, 1, 3, 3), stride=(2, 1, 1), padding=(1, 1, 0), groups=5
    ),
    "conv2d channels last": lambda t, f: f.conv2d(
        _to_channels_last(t, _make_input(t, 2, 4, 8, 8)), _make_input(t, 6, 4, 3, 3)
    ),
    "conv2d weight channels last": lambda t, f: f.conv2d(
        _make_input(t, 2, 4, 8, 8), _to_channels_last(t, _make_input(t, 6, 4, 3, 3))
    ),
    "conv2d channels last to a pixel": lambda t, f: f.conv2d(
        _to_channels_last(t, _make_input(t, 2, 4, 3, 3)), _make_input(t, 6, 4, 3, 3)
    ),
    "conv2d of no images": lambda t, f: f.conv2d(_make_input(t, 0, 4, 8, 8), _make_input(t, 6, 4, 3, 3)),
    "conv2d of no channels": lambda t, f: f.conv2d(_make_input(t, 2, 0, 8, 8), _make_input(t, 6, 0, 3, 3)),
    "conv2d of no pixels": lambda t, f: f.conv2d(_make_input(t, 2, 4, 0, 8), _make_input(t, 6, 4, 3, 3), padding=2),
    "conv2d in int64": lambda t, f: f.conv2d(_make_input(t, 2, 4, 8, 8).long(), _make_input(t, 6, 4, 3, 3).long()),
    "conv2d in bool": lambda t, f: f.conv2d(_make_input(t, 2, 4, 8, 8).bool(), _make_input(t, 6, 4, 3, 3).bool()),
    "conv2d of complex numbers": lambda t, f: f.conv2d(
        _make_input(t, 2, 4, 5, 5) * (1 + 2j), _make_input(t, 6, 4, 3, 3) * (0.5 - 1j)
    ),
    "conv2d same": lambda t, f: f.conv2d(
        _make_input(t, 2, 4, 8, 8), _make_input(t, 6, 4, 3, 5), padding="same", dilation=2
    ),
    "conv2d same with an even kernel": lambda t, f: f.conv2d(
        _make_input(t, 2, 4, 8, 8), _make_input(t, 6, 4, 2, 3), padding="same"
    ),
    "conv2d same with a stride": lambda t, f: f.conv2d(
        _make_input(t, 2, 4, 8, 8), _make_input(t, 6, 4, 3, 3), padding="same", stride=2
    ),
    "conv2d valid": lambda t, f: f.conv2d(_make_input(t, 2, 4, 8, 8), _make_input(t, 6, 4, 3, 3), padding="valid"),
    "conv2d unknown padding": lambda t, f: f.conv2d(
        _make_input(t, 2, 4, 8, 8), _make_input(t, 6, 4, 3, 3), padding="x"
    ),
    "conv2d one by one with a bias": lambda t, f: f.conv2d(
        _make_input(t, 3, 48, 10, 16), _make_input(t, 24, 48, 1, 1), _make_input(t, 24)
    ),
    "conv2d one by one in groups with a bias": lambda t, f: f.conv2d(
        _make_input(t, 2, 48, 32, 32), _make_input(t, 48, 24, 1, 1), _make_input(t, 48), groups=2
    ),
    "conv3d": lambda t, f: f.conv3d(
        _make_input(t, 2, 3, 5, 6, 7), _make_input(t, 4, 3, 2, 3, 2), padding=1, stride=(1, 2, 3)
    ),
    "conv3d channels last": lambda t, f: f.conv3d(
        _to_channels_last(t, _make_input(t, 2, 3, 5, 5, 5)), _make_input(t, 4, 3, 3, 3, 3)
    ),
    "conv3d channels last in double": lambda t, f: f.conv3d(
        _to_channels_last(t, _make_input(t, 2, 3, 5, 5, 5).double()), _make_input(t, 4, 3, 3, 3, 3).double()
    ),
    "conv_transpose1d": lambda t, f: f.conv_transpose1d(
        _make_input(t, 2, 3, 5), _make_input(t, 3, 4, 3), stride=2, output_padding=1
    ),
    "conv_transpose2d": lambda t, f: f.conv_transpose2d(
        _make_input(t, 2, 4, 5, 6),
        _make_input(t, 4, 3, 3, 2),
        _make_input(t, 3),
        stride=(3, 2),
        padding=1,
        dilation=(1, 2),
    ),
    "conv_transpose2d in groups": lambda t, f: f.conv_transpose2d(
        _make_input(t, 2, 8, 5, 6),
        _make_input(t, 8, 1, 3, 3),
        _make_input(t, 8),
        stride=2,
        padding=1,
        output_padding=1,
        groups=8,
    ),
    "conv_transpose2d steps over pixels": lambda t, f: f.conv_transpose2d(
        _make_input(t, 2, 4, 5, 6), _make_input(t, 4, 3, 1, 2), _make_input(t, 3), stride=3
    ),
    "conv_transpose3d": lambda t, f: f.conv_transpose3d(
        _make_input(t, 2, 3, 3, 4, 3), _make_input(t, 3, 4, 2, 2, 3), stride=2
    ),
    "conv_transpose2d padding of the output": lambda t, f: f.conv_transpose2d(
        _make_input(t, 2, 4, 8, 8), _make_input(t, 4, 2, 3, 3), output_padding=1
    ),
    "conv_tbc": lambda t, f: t.conv_tbc(_make_input(t, 5, 2, 3), _make_input(t, 3, 3, 4), _make_input(t, 4), 1),
    "conv_tbc channels": lambda t, f: t.conv_tbc(_make_input(t, 5, 2, 3), _make_input(t, 3, 2, 4), _make_input(t, 4)),
    **{
        f"conv_transpose{n}d far apart in {dtype}": lambda t, f, n=n, sizes=sizes, dtype=dtype: getattr(
            f, f"conv_transpose{n}d"
        )(
            _make_input(t, 2, 24, *sizes, dtype=dtype),
            _make_input(t, 24, 2, *(3, 2, 4)[-n:], dtype=dtype),
            _make_input(t, 4, dtype=dtype),
            stride=(1, 1, 2)[-n:],
            padding=(0, 3, 1)[-n:],
            dilation=(4, 7, 5)[-n:],
            groups=2,
        )
        for n, sizes in ((1, (700,)), (2, (30, 25)), (3, (3, 4, 5)))
        for dtype in ("float32", "float64")
    },
    "conv_transpose1d of a kernel longer than a block": lambda t, f: f.conv_transpose1d(
        _make_input(t, 1, 16, 60), _make_input(t, 16, 1, 201), _make_input(t, 1), stride=4, dilation=3
    ),
    "rank": lambda t, f: f.conv2d(_make_input(t, 8, 8), _make_input(t, 6, 4, 3, 3)),
    "rank of the weight": lambda t, f: f.conv2d(_make_input(t, 2, 4, 8, 8), _make_input(t, 6, 4, 3)),
    "channels": lambda t, f: f.conv2d(_make_input(t, 2, 5, 8, 8), _make_input(t, 6, 4, 3, 3)),
    "channels of a group": lambda t, f: f.conv2d(_make_input(t, 2, 4, 8, 8), _make_input(t, 6, 4, 3, 3), groups=2),
    "groups of results": lambda t, f: f.conv2d(_make_input(t, 2, 4, 8, 8), _make_input(t, 6, 1, 3, 3), groups=4),
    "more groups than results": lambda t, f: f.conv2d(_make_input(t, 2, 4, 8, 8), _make_input(t, 6, 4, 3, 3), groups=7),
    "no groups": lambda t, f: f.conv2d(_make_input(t, 2, 4, 8, 8), _make_input(t, 6, 4, 3, 3), groups=0),
    "negative padding": lambda t, f: f.conv2d(_make_input(t, 2, 4, 8, 8), _make_input(t, 6, 4, 3, 3), padding=-1),
    "stride 0": lambda t, f: f.conv2d(_make_input(t, 2, 4, 8, 8), _make_input(t, 6, 4, 3, 3), stride=0),
    "dilation 0": lambda t, f: f.conv2d(_make_input(t, 2, 4, 8, 8), _make_input(t, 6, 4, 3, 3), dilation=0),
    "dilation -1": lambda t, f: f.conv2d(_make_input(t, 2, 4, 8, 8), _make_input(t, 6, 4, 3, 3), dilation=-1),
    "three strides": lambda t, f: f.conv2d(_make_input(t, 2, 4, 8, 8), _make_input(t, 6, 4, 3, 3), stride=(1, 2, 3)),
    "length of the bias": lambda t, f: f.conv2d(
        _make_input(t, 2, 4, 8, 8), _make_input(t, 6, 4, 3, 3), _make_input(t, 5)
    ),
    "kernel larger than the image": lambda t, f: f.conv2d(_make_input(t, 2, 4, 8, 8), _make_input(t, 6, 4, 9, 3)),
    "huge stride": lambda t, f: f.conv2d(_make_input(t, 2, 4, 8, 8), _make_input(t, 6, 4, 3, 3), stride=2**62),
    "huge padding": lambda t, f: f.conv2d(_make_input(t, 2, 4, 8, 8), _make_input(t, 6, 4, 3, 3), padding=2**62),
    "dtype of the weight": lambda t, f: f.conv2d(_make_input(t, 2, 4, 8, 8).double(), _make_input(t, 6, 4, 3, 3)),
    "dtype of a float's weight": lambda t, f: f.conv2d(_make_input(t, 2, 4, 8, 8), _make_input(t, 6, 4, 3, 3).double()),
    "dtype of the bias": lambda t, f: f.conv2d(
        _make_input(t, 2, 4, 8, 8), _make_input(t, 6, 4, 3, 3), _make_input(t, 6).half()
    ),
    "meta": lambda t, f: f.conv2d(_make_input(t, 2, 4, 8, 8).to("meta"), _make_input(t, 6, 4, 3, 3).to("meta")),
    "overrideable": lambda t, f: t.ops.aten.convolution_overrideable(
        _make_input(t, 2, 4, 8, 8), _make_input(t, 6, 4, 3, 3), None, [1], [0], [1], False, [0], 1
    ),
    "unfold": lambda t, f: f.unfold(_make_input(t, 2, 3, 6, 5), (2, 3), dilation=2, padding=1, stride=2),
    "unfold of bool": lambda t, f: f.unfold(_make_input(t, 2, 3, 6, 5).bool(), 2),
    "unfold of int64": lambda t, f: f.unfold(_make_input(t, 2, 3, 6, 5).long(), 2),
    "unfold of too little": lambda t, f: f.unfold(_make_input(t, 2, 3, 6, 5), 7),
    "unfold of a matrix": lambda t, f: f.unfold(_make_input(t, 6, 5), 2),
    "fold": lambda t, f: f.fold(_make_input(t, 2, 12, 20), (5, 6), 2),
    "fold of another size": lambda t, f: f.fold(_make_input(t, 2, 12, 20), (5, 5), 2),
    "fold of other channels": lambda t, f: f.fold(_make_input(t, 2, 13, 20), (5, 6), 2),
}


@pytest.mark.parametrize("name", CALLS)
def test_outcome_is_real_torchs(mt, oracle, name):
    call = CALLS[name]
    assert outcome(lambda t: call(t, t.nn.functional), mt) == outcome(lambda t: call(t, t.nn.functional), oracle)


GEOMETRIES = {
    "plain": ((3, 4, 9, 8), (5, 4, 3, 3), {}),
    "strided": ((2, 4, 11, 9), (6, 2, 3, 2), {"stride": (3, 2), "padding": (2, 1), "groups": 2}),
    "dilated": ((2, 3, 12, 9), (4, 3, 2, 3), {"dilation": (3, 2), "padding": 2, "stride": (1, 2)}),
    "depthwise": ((3, 8, 9, 7), (16, 1, 3, 5), {"groups": 8, "padding": (1, 2), "stride": 2}),
    "depthwise of many channels": ((3, 83, 9, 7), (83, 1, 3, 5), {"groups": 83, "padding": (1, 2), "stride": (2, 1)}),
    "depthwise dilated": ((2, 20, 12, 9), (20, 1, 3, 2), {"groups": 20, "padding": 3, "stride": 2, "dilation": (2, 3)}),
    "depthwise volume": ((2, 18, 4, 5, 6), (18, 1, 2, 3, 3), {"groups": 18, "padding": 1}),
    "many channels": ((2, 20, 7, 30), (37, 20, 3, 3), {"stride": (2, 1), "padding": (1, 2)}),
    "groups of many channels": (
        (2, 32, 5, 30),
        (34, 16, 2, 3),
        {"stride": (1, 2), "padding": 1, "dilation": (1, 3), "groups": 2},
    ),
    "one by one": ((2, 5, 6, 6), (7, 5, 1, 1), {}),
    "one by one of many channels": ((2, 20, 7, 9), (18, 20, 1, 1), {"stride": 2}),
    "one by one of one pixel of four": ((2, 20, 2, 2), (18, 20, 1, 1), {"stride": 2}),
    "patches": ((2, 3, 16, 20), (18, 3, 4, 5), {"stride": (4, 5)}),
    "patches with pixels between": ((2, 3, 11, 14), (18, 3, 2, 4), {"stride": (3, 5)}),
    "whole image": ((3, 5, 4, 6), (18, 5, 4, 6), {}),
    "few channels": ((2, 3, 9, 40), (35, 3, 3, 3), {"stride": 2, "padding": 1}),
    "few channels of a volume": ((1, 2, 6, 5, 40), (16, 2, 2, 3, 3), {"padding": 1, "dilation": (2, 1, 1)}),
    "short lines": ((2, 20, 7, 7), (37, 20, 3, 3), {"padding": 1}),
    "short dilated lines": ((1, 16, 9, 7), (17, 16, 3, 3), {"padding": (3, 1), "dilation": (2, 1)}),
    "small images of many channels": ((3, 128, 7, 5), (48, 128, 3, 3), {"padding": 1}),
    "weights of many panels": ((1, 64, 4, 4), (256, 64, 3, 3), {"padding": 1, "dilation": (1, 2)}),
    "lanes of groups": ((2, 34, 9, 14), (32, 17, 3, 2), {"stride": (1, 2), "padding": (2, 1), "groups": 2}),
    "pairs of positions": ((2, 6, 9, 12), (16, 6, 3, 3), {"padding": 1}),
    "strided pairs of positions": ((2, 6, 9, 12), (33, 6, 3, 3), {"padding": 1, "stride": 2}),
    "pairs of channels in small groups": ((2, 16, 9, 32), (24, 4, 3, 3), {"padding": 1, "groups": 4}),
    "patches of many channels": ((2, 16, 8, 10), (32, 16, 2, 2), {"stride": 2}),
    "depthwise of tall kernels": ((2, 20, 9, 21), (20, 1, 5, 4), {"groups": 20, "padding": (2, 1)}),
    "depthwise of large kernels": ((2, 16, 18, 33), (16, 1, 7, 7), {"groups": 16, "padding": 3}),
    "line": ((2, 5, 40), (7, 5, 4), {"stride": 3, "padding": 2}),
    "line of one channel": ((2, 1, 90), (33, 1, 10), {"stride": 5, "dilation": 2}),
    "one by one of blocks across images": ((3, 48, 10, 16), (24, 48, 1, 1), {}),
    "one by one in groups": ((2, 48, 12, 16), (24, 24, 1, 1), {"groups": 2}),
    "one by one of large images": ((2, 24, 32, 33), (12, 24, 1, 1), {}),
    "one by one of many channels, in blocks": ((2, 24, 17, 31), (24, 24, 1, 1), {"stride": 2}),
    "one by one of a volume": ((2, 24, 3, 8, 9), (12, 24, 1, 1, 1), {}),
    "one column of three": ((3, 20, 8, 3), (40, 20, 4, 1), {"stride": (1, 5)}),
    "one column of two": ((3, 16, 8, 2), (40, 16, 4, 1), {"stride": (1, 2)}),
    "volume": ((2, 3, 6, 5, 7), (4, 3, 2, 3, 2), {"stride": (2, 1, 3), "padding": 1}),
    "volume of square planes": ((2, 4, 5, 16, 16), (6, 4, 3, 3, 3), {"padding": 1}),
    "strided volume of square planes": ((2, 6, 9, 32, 32), (4, 3, 3, 3, 3), {"padding": 1, "stride": 2, "groups": 2}),
    "dilated volume of square planes": ((1, 4, 6, 16, 16), (6, 4, 3, 3, 3), {"padding": 2, "dilation": 2}),
}


# More padding than the transposed convolution has pixels.
LARGE_PADDINGS = {
    "line of one channel between padding": ((2, 1, 1, 32), (16, 1, 1, 5), {"padding": (1, 0)}),
    "line of one channel beside padding": ((1, 1, 1, 13), (16, 1, 1, 4), {"stride": 3, "padding": (1, 0)}),
    "tiles outside of the image": ((2, 16, 3, 20), (16, 16, 2, 2), {"padding": 3}),
    "planes outside of the image": ((1, 16, 2, 3, 9), (16, 16, 2, 2, 2), {"padding": 3}),
    "line of a volume between padding": ((2, 1, 1, 1, 32), (16, 1, 1, 1, 5), {"padding": (1, 1, 0)}),
}


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16"])
@pytest.mark.parametrize("order", ["planar", "channels last"])
@pytest.mark.parametrize(
    ("name", "transposed"),
    [*((name, way) for name in GEOMETRIES for way in (False, True)), *((name, False) for name in LARGE_PADDINGS)],
)
def test_gradients_are_real_torchs(mt, oracle, name, order, transposed, dtype):
    shape, weight, options = {**GEOMETRIES, **LARGE_PADDINGS}[name]
    if order == "channels last" and len(shape) == 3:
        pytest.skip("a line has no channels-last order")

    def differentiate_convolution(t, dtype):
        kind = "conv_transpose" if transposed else "conv"
        x = _make_input(t, *shape, dtype=dtype)
        w = _make_input(t, *weight, dtype=dtype)
        if transposed:
            out = getattr(t.nn.functional, f"conv{len(shape) - 2}d")(x, w, **options)
            x = _make_input(t, *out.shape, dtype=dtype)
        if order == "channels last":
            x = _to_channels_last(t, x)
        x.requires_grad_()
        w.requires_grad_()
        out = getattr(t.nn.functional, f"{kind}{len(shape) - 2}d")(x, w, **options)
        g = _make_input(t, *out.shape, dtype=dtype)
        out.backward(_to_channels_last(t, g) if order == "channels last" else g)
        return [out, x.grad, w.grad]

    ours, theirs, exact = (
        differentiate_convolution(mt, dtype),
        differentiate_convolution(oracle, dtype),
        differentiate_convolution(oracle, "float64"),
    )
    for mine, other, value in zip(ours, theirs, exact, strict=True):
        # Strides of dimensions of size 1 do not determine a memory order. On processors without bfloat16 products,
        # torch loses the order of bfloat16 volumes.
        if dtype != "bfloat16" or len(shape) < 5 or oracle.ops.mkldnn._is_mkldnn_bf16_supported():
            assert [n > 1 and step for n, step in zip(mine.shape, mine.stride(), strict=True)] == [
                n > 1 and step for n, step in zip(other.shape, other.stride(), strict=True)
            ]
        mine = oracle.tensor(mine.tolist(), dtype=oracle.float64)
        if dtype == "bfloat16":
            # Values are multiples of 1/64, exact in float, so each sum is rounded once. torch rounds each step of
            # some sums on processors without bfloat16 products: its error can be 0.22 where ours is 0.03.
            assert oracle.equal(mine, value.bfloat16().double())
        else:
            assert (mine - other.double()).abs().max() <= 1e-5 * other.double().abs().max()


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("order", ["planar", "channels last"])
@pytest.mark.parametrize("name", [name for name in GEOMETRIES if "volume" not in name])
def test_bias_reaches_every_pixel(mt, name, order, transposed):
    shape, weight, options = GEOMETRIES[name]
    channels = weight[1] * options.get("groups", 1) if transposed else weight[0]
    x = mt.zeros(shape[0], weight[0] if transposed else shape[1], *shape[2:])
    if order == "channels last" and x.dim() == 4:
        x = _to_channels_last(mt, x)
    bias = mt.arange(1.0, channels + 1)
    if transposed:
        options = {
            **options,
            "output_padding": tuple(n - 1 for n in _repeat_size_for_each_dim(options.get("stride", 1), x.dim() - 2)),
        }
    call = getattr(mt.nn.functional, f"conv{'_transpose' if transposed else ''}{x.dim() - 2}d")
    out = call(x, mt.ones(weight), bias, **options)
    assert mt.equal(out, bias.view(-1, *[1] * (x.dim() - 2)).expand_as(out))


def _repeat_size_for_each_dim(value, count):
    return value if isinstance(value, tuple) else (value,) * count


def test_nodes_have_real_torchs_names(mt, oracle):
    def list_node_names(t):
        x = _make_input(t, 2, 4, 6, 6).requires_grad_()
        w = _make_input(t, 6, 4, 3, 3).requires_grad_()
        out = t.nn.functional.conv2d(x, w)
        (grad,) = t.autograd.grad(out.sum(), x, create_graph=True)
        columns = t.nn.functional.unfold(x, 2)
        image = t.nn.functional.fold(columns, (6, 6), 2)
        return [node.name() for node in (out.grad_fn, grad.grad_fn, columns.grad_fn, image.grad_fn)]

    assert list_node_names(mt) == list_node_names(oracle)


# The expected value has a closed form: the dilation exceeds the image's size, so that the copies of the image which the
# taps of the kernel write do not overlap.
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
def test_a_dilated_transposed_convolution_copies_its_image(mt, dtype):
    image = _make_input(mt, 1, 32, 5, 6, dtype=dtype)
    weight = mt.zeros(32, 3, 2, 2, dtype=image.dtype)
    weight[:3] = mt.eye(3, dtype=image.dtype).view(3, 3, 1, 1) * mt.tensor([[1.0, 2.0], [-1.0, 0.5]])
    bias = mt.tensor([0.5, 1.0, -2.0], dtype=image.dtype)
    out = mt.nn.functional.conv_transpose2d(image, weight, bias, dilation=(9, 11))
    expected = bias.view(1, 3, 1, 1).repeat(1, 1, 14, 17)
    for (row, column), factor in {(0, 0): 1, (0, 11): 2, (9, 0): -1, (9, 11): 0.5}.items():
        expected[..., row : row + 5, column : column + 6] += factor * image[:, :3]
    assert out.dtype == image.dtype
    assert mt.equal(out, expected)


def test_dilated_transposed_convolution_does_not_spread_nan(mt):
    image = mt.zeros(1, 32, 3, 3)
    image[0, 0, 1, 1] = float("nan")
    out = mt.nn.functional.conv_transpose2d(image, mt.ones(32, 1, 2, 2), dilation=6)
    assert out.isnan().nonzero()[:, 2:].tolist() == [[1, 1], [1, 7], [7, 1], [7, 7]]


@pytest.mark.parametrize("order", ["planar", "channels last"])
@pytest.mark.parametrize(
    ("shape", "weight", "stride", "padding", "groups"),
    [
        ((4, 16, 20, 20), (24, 16, 3, 3), 1, 0, 1),
        ((4, 16, 20, 20), (16, 1, 3, 3), 1, 0, 16),
        ((4, 16, 20, 20), (16, 1, 5, 5), 1, 2, 16),
        ((2, 64, 9, 9), (256, 64, 3, 3), 1, 1, 1),
        ((4, 3, 64, 64), (24, 3, 8, 8), 8, 0, 1),
        ((2, 3, 64, 64), (24, 3, 3, 3), 2, 1, 1),
        ((4, 32, 7, 7), (64, 32, 3, 3), 1, 1, 1),
        ((2, 1, 1, 4000), (32, 1, 1, 10), 5, 0, 1),
        ((3, 20, 9, 9), (40, 10, 4, 4), 1, 0, 2),
        ((3, 64, 24, 28), (32, 64, 3, 3), 2, 1, 1),
    ],
)
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_results_do_not_depend_on_threads(mt, order, shape, weight, stride, padding, groups, dtype):
    x, w = _make_input(mt, *shape, dtype=dtype), _make_input(mt, *weight, dtype=dtype) / 7
    if order == "channels last":
        x = _to_channels_last(mt, x)
    before = mt.get_num_threads()
    results = []
    for threads in (1, 3):
        mt.set_num_threads(threads)
        y = mt.nn.functional.conv2d(x, w, None, stride, padding, 1, groups)
        gradients = mt.ops.aten.convolution_backward(
            y, x, w, None, [stride] * 2, [padding] * 2, [1, 1], False, [0, 0], groups, [True, True, False]
        )
        results.append((y, *gradients[:2]))
    mt.set_num_threads(before)
    assert all(mt.equal(a, b) for a, b in zip(*results, strict=True))


# The kernel copies two images at a time, but an image's result must not depend on the other images of the batch.
@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("stride", [1, 2])
def test_images_do_not_meet(mt, stride, dtype):
    f = mt.nn.functional
    x, w = _make_input(mt, 3, 64, 69, 71, dtype=dtype), _make_input(mt, 16, 64, 3, 3, dtype=dtype)
    y, v = _make_input(mt, 3, 32, 95, 94, dtype=dtype), _make_input(mt, 32, 16, 3, 3, dtype=dtype)
    out, back = f.conv2d(x, w, padding=1, stride=stride), f.conv_transpose2d(y, v, stride=stride)
    for i in range(3):
        assert mt.equal(out[i], f.conv2d(x[i], w, padding=1, stride=stride))
        assert mt.equal(back[i], f.conv_transpose2d(y[i], v, stride=stride))


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_nan_next_to_padding_does_not_spread(mt, dtype):
    dtype = getattr(mt, dtype)
    x = mt.zeros(1, 8, 5, 5, dtype=dtype)
    x[:, :, 0, 0] = float("nan")
    for groups, rows in ((8, 8), (1, 3), (1, 16), (2, 8)):
        weight = mt.ones(rows, 8 // groups, 3, 3, dtype=dtype)
        out = mt.nn.functional.conv2d(x, weight, padding=1, groups=groups)
        # The windows that contain the corner pixel: the first two of the first two rows.
        assert out[0, 0].isnan().nonzero().tolist() == [[0, 0], [0, 1], [1, 0], [1, 1]]


@pytest.mark.parametrize("dims", [1, 2, 3])
@pytest.mark.parametrize(
    "kernel, stride, padding, dilation, groups",
    [
        (3, 1, 1, 1, 1),
        (3, 2, 1, 1, 2),
        (1, 1, 0, 1, 1),
        (1, 2, 0, 1, 3),
        (3, 1, 2, 2, 1),
        (3, 3, 4, 1, 1),
        (4, 4, 0, 1, 1),
    ],
)
def test_gradient_of_a_bfloat16_weight_is_the_rounded_sum(mt, dims, kernel, stride, padding, dilation, groups):
    """Integers whose sums are exact in float in any order: only the result is rounded."""

    def compute_bfloat16_weight_gradient(dtype):
        x = (mt.arange(3 * 6 * 9**dims) * 31 % 7 - 3).reshape(3, 6, *[9] * dims).to(dtype)
        w = mt.zeros(12, 6 // groups, *[kernel] * dims, dtype=dtype, requires_grad=True)
        convolution = (mt.conv1d, mt.conv2d, mt.conv3d)[dims - 1]
        y = convolution(x, w, stride=stride, padding=padding, dilation=dilation, groups=groups)
        g = (mt.arange(y.numel()) * 13 % 5 - 2).reshape(y.shape).to(dtype)
        return mt.autograd.grad(y, w, g)[0]

    assert mt.equal(
        compute_bfloat16_weight_gradient(mt.bfloat16), compute_bfloat16_weight_gradient(mt.float32).bfloat16()
    )


def test_gradients_of_a_convolution_without_channels_are_zeros(mt, oracle):
    def differentiate_without_channels(torch):
        x, w = torch.ones(2, 0, 15, requires_grad=True), torch.ones(8, 0, 2, requires_grad=True)
        b = torch.ones(8, requires_grad=True)
        return torch.autograd.grad(torch.nn.functional.conv1d(x, w, b).sum(), (x, w, b))

    assert outcome(differentiate_without_channels, mt) == outcome(differentiate_without_channels, oracle)
