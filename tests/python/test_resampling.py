"""Interpolation, padding, grid sampling and shuffles: values, strides, errors and gradients match real torch."""

import pytest
from outcomes import close, outcome, result


def _make_image(t, *shape):
    t.manual_seed(0)
    return t.randn(*shape)


def _to_channels_last(t, x):
    return x.contiguous(memory_format=t.channels_last)


def _call_and_differentiate(t, call, *shape):
    x = _make_image(t, *shape).requires_grad_()
    y = call(x)
    (y * y).sum().backward()
    return y, x.grad


VALUES = {
    "nearest by a factor that rounds down": lambda t, f: f.interpolate(_make_image(t, 1, 1, 5), scale_factor=1.7),
    "nearest keeps a scale of its own": lambda t, f: f.interpolate(_make_image(t, 1, 1, 4, 4), scale_factor=2.1),
    "nearest of a large image": lambda t, f: f.interpolate(_make_image(t, 1, 1, 60, 60), scale_factor=2.05).sum((2,)),
    "nearest-exact": lambda t, f: f.interpolate(_make_image(t, 1, 2, 5, 3), size=(7, 4), mode="nearest-exact"),
    "nearest of bytes": lambda t, f: f.interpolate(t.arange(6, dtype=t.uint8).view(1, 1, 2, 3), size=(3, 5)),
    "bilinear": lambda t, f: _call_and_differentiate(
        t, lambda x: f.interpolate(x, size=(7, 9), mode="bilinear"), 2, 3, 4, 5
    ),
    "bilinear with corners": lambda t, f: f.interpolate(
        _make_image(t, 1, 1, 4, 5), size=(1, 9), mode="bilinear", align_corners=True
    ),
    "bilinear of bytes": lambda t, f: f.interpolate(
        t.arange(0, 240, 10, dtype=t.uint8).view(1, 1, 4, 6), size=(7, 4), mode="bilinear"
    ),
    "bilinear channels last": lambda t, f: f.interpolate(
        _to_channels_last(t, _make_image(t, 2, 5, 3, 4)), scale_factor=1.5, mode="bilinear"
    ),
    "bicubic": lambda t, f: _call_and_differentiate(
        t, lambda x: f.interpolate(x, size=(6, 3), mode="bicubic"), 1, 2, 4, 5
    ),
    "trilinear": lambda t, f: _call_and_differentiate(
        t, lambda x: f.interpolate(x, scale_factor=(2, 0.5, 1.5), mode="trilinear"), 1, 2, 3, 4, 4
    ),
    "linear of NaN": lambda t, f: f.interpolate(
        t.tensor([[[1.0, float("nan"), 3.0, 4.0]]]), scale_factor=2, mode="linear"
    ),
    "antialiased bilinear": lambda t, f: _call_and_differentiate(
        t, lambda x: f.interpolate(x, size=(3, 4), mode="bilinear", antialias=True), 1, 2, 9, 11
    ),
    "antialiased bicubic": lambda t, f: f.interpolate(
        _make_image(t, 1, 1, 9, 11), (4, 3), mode="bicubic", antialias=True
    ),
    "no samples": lambda t, f: f.interpolate(t.zeros(0, 3, 4, 4), size=(5, 5), mode="bilinear"),
    "reflection": lambda t, f: _call_and_differentiate(t, lambda x: f.pad(x, (2, 1, -1, 2), "reflect"), 1, 2, 4, 5),
    "reflection of a volume": lambda t, f: f.pad(_make_image(t, 1, 1, 3, 3, 3), (1, 2, 2, 1, 1, 1), "reflect"),
    "replication": lambda t, f: _call_and_differentiate(t, lambda x: f.pad(x, (3, -2), "replicate"), 2, 3, 4),
    "replication of integers": lambda t, f: f.pad(t.arange(6).view(1, 2, 3), (1, 2), "replicate"),
    "circular": lambda t, f: _call_and_differentiate(t, lambda x: f.pad(x, (1, 2, 3, 0), "circular"), 1, 2, 4, 5),
    "constant channels last": lambda t, f: f.pad(
        _to_channels_last(t, _make_image(t, 1, 3, 2, 2)), (1, 0, 0, 2), value=7.0
    ),
    "constant that only cuts": lambda t, f: f.pad(_make_image(t, 3, 4), (-1, 0, 0, -2)),
    "pixel_shuffle": lambda t, f: _call_and_differentiate(t, lambda x: f.pixel_shuffle(x, 2), 1, 8, 2, 3),
    "pixel_unshuffle": lambda t, f: _call_and_differentiate(t, lambda x: f.pixel_unshuffle(x, 2), 2, 4, 6),
    "pixel_unshuffle of nothing": lambda t, f: f.pixel_unshuffle(t.zeros(0, 2, 4, 4), 2),
    "channel_shuffle": lambda t, f: _call_and_differentiate(t, lambda x: f.channel_shuffle(x, 3), 1, 6, 2, 2),
    "affine_grid": lambda t, f: f.affine_grid(_make_image(t, 2, 2, 3), (2, 1, 3, 4), align_corners=False),
    "affine_grid of a volume": lambda t, f: f.affine_grid(_make_image(t, 1, 3, 4), (1, 1, 2, 3, 2), align_corners=True),
}


@pytest.mark.parametrize("name", VALUES)
def test_matches_torch(mt, oracle, name):
    def resample_values(t):
        value = VALUES[name](t, t.nn.functional)
        tensors = value if isinstance(value, tuple) else (value,)
        return [(x, x.stride(), str(x.dtype)) for x in tensors]

    assert close(result(resample_values, mt), result(resample_values, oracle), relative=1e-4, absolute=1e-5)


# Rows are resampled before they are blended if there are fewer rows than results, otherwise afterwards.
SIZES = {
    "larger": (9, 21),
    "larger by lines alone": (13, 5),
    "larger along lines alone": (3, 33),
    "smaller, some elements unread": (2, 3),
    "equal": (5, 9),
    "doubled": (10, 18),
}


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
@pytest.mark.parametrize("name", SIZES)
def test_resized_planes_and_their_gradients_match_torch(mt, oracle, name, dtype):
    def resize_planes(t):
        f, size = t.nn.functional, SIZES[name]
        values = []
        for layout in (t.contiguous_format, t.channels_last):
            for mode in ("nearest", "nearest-exact", "bilinear", "bicubic"):
                x = _make_image(t, 2, 5, 5, 9).to(getattr(t, dtype)).contiguous(memory_format=layout).requires_grad_()
                y = f.interpolate(x, size=size, mode=mode)
                y.backward(t.ones_like(y) * 0.5 + y.detach())
                values += [y, x.grad]
        x = _make_image(t, 1, 3, 4, 5, 9).to(getattr(t, dtype)).requires_grad_()
        y = f.interpolate(x, size=(7, *size), mode="trilinear")
        y.backward(y.detach())
        return [(v, v.stride(), str(v.dtype)) for v in [*values, y, x.grad]]

    small = {"float16": 4e-3, "bfloat16": 3e-2}.get(dtype, 1e-5)
    assert close(result(resize_planes, mt), result(resize_planes, oracle), relative=small, absolute=small)


def test_infinite_gradients_propagate_as_in_torch(mt, oracle):
    def resize_infinities(t):
        f, values = t.nn.functional, []
        for size, mode in (((7, 10), "bilinear"), ((3, 2), "bilinear"), ((6, 7), "nearest"), ((3, 3), "bicubic")):
            x = _make_image(t, 1, 1, 4, 5).requires_grad_()
            g = t.zeros(1, 1, *size)
            g[0, 0, 1, 1] = float("inf")
            f.interpolate(x, size=size, mode=mode).backward(g)
            values.append(x.grad)
        return values

    assert close(result(resize_infinities, mt), result(resize_infinities, oracle), relative=1e-5, absolute=1e-6)


PADS = {
    "one each": (1, 1, 1, 1),
    "of several sizes": (3, 0, 2, 4),
    "that cut": (-2, 3, 1, -3),
    "that cut the row to its border": (-4, 4, 0, 0),
}


# The kernel adds the middle of a row in vectors, and its ends pixel by pixel.
@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "complex64"])
@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("mode", ["reflect", "replicate"])
@pytest.mark.parametrize("pad", PADS)
def test_padded_borders_and_their_gradients_match_torch(mt, oracle, pad, mode, last, dtype):
    def pad_and_differentiate(t):
        x = (t.arange(2 * 19 * 6 * 5) * 37 % 23 - 11).reshape(2, 19, 6, 5).to(getattr(t, dtype))
        x = (_to_channels_last(t, x) if last else x).requires_grad_()
        y = t.nn.functional.pad(x, PADS[pad], mode)
        grad = (t.arange(y.numel()) % 13 - 6).reshape(y.shape).to(y.dtype)
        return y, *t.autograd.grad(y, x, _to_channels_last(t, grad) if last else grad)

    assert outcome(pad_and_differentiate, mt) == outcome(pad_and_differentiate, oracle)


BYTES = [
    ((1, 3, 5, 7), (9, 4)),
    ((2, 3, 17, 40), (33, 21)),
    ((1, 4, 31, 18), (7, 50)),
    ((3, 1, 16, 5), (16, 9)),
    ((1, 17, 6, 33), (20, 8)),
    ((1, 2, 90, 60), (7, 5)),
]


# Kernels transpose 16 rows at a time and read taps in pairs; taps that the border merges are rounded as one.
@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("antialias", [False, True])
@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
@pytest.mark.parametrize(("shape", "size"), BYTES)
def test_resized_byte_images_match_torch_to_the_last_bit(mt, oracle, shape, size, mode, antialias, last):
    def resize_byte_image(t):
        x = (t.arange(t.Size(shape).numel()) * 7919 % 251 * 57 % 256).to(t.uint8).reshape(shape)
        x = _to_channels_last(t, x) if last else x
        y = t.nn.functional.interpolate(x, size=size, mode=mode, antialias=antialias)
        return y.tolist(), y.stride()

    assert resize_byte_image(mt) == resize_byte_image(oracle)


@pytest.mark.parametrize("dtype", ["uint8", "int16", "float32", "float64", "complex128"])
@pytest.mark.parametrize(("channels", "by"), [(1, 2), (3, 2), (2, 3), (5, 4), (17, 2), (3, 5)])
def test_pixel_shuffles_of_channels_last_match_torch(mt, oracle, channels, by, dtype):
    def shuffle_pixels(t):
        f = t.nn.functional
        x = (t.arange(2 * channels * by**4 * 15) % 199).to(getattr(t, dtype))
        deep = _to_channels_last(t, x.reshape(2, channels * by * by, 3 * by, 5 * by))
        results = [f.pixel_shuffle(deep, by), f.pixel_unshuffle(deep, by), f.channel_shuffle(deep, by)]
        return [(y.tolist(), y.stride()) for y in results]

    assert shuffle_pixels(mt) == shuffle_pixels(oracle)


@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("corners", [True, False])
def test_grid_sample_and_its_gradients_match_torch(mt, oracle, mode, padding, corners):
    def sample_grid(t):
        x = _make_image(t, 2, 3, 4, 5).requires_grad_()
        grid = (_make_image(t, 2, 3, 4, 2) * 0.9).requires_grad_()
        y = t.nn.functional.grid_sample(x, grid, mode, padding, corners)
        return [y, *t.autograd.grad((y * y).sum(), (x, grid))]

    assert close(result(sample_grid, mt), result(sample_grid, oracle), relative=1e-4, absolute=1e-4)


@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize(
    ("shape", "mode"),
    [((2, c, 5, 7), m) for m in ("bilinear", "nearest", "bicubic") for c in (3, 19, 20)]
    + [((1, 8, 3, 4, 5), m) for m in ("bilinear", "nearest")],
)
def test_grid_sample_of_many_channels_matches_torch(mt, oracle, shape, mode, last):
    def sample_values(t):
        x = _make_image(t, *shape)
        x[0, 3] = float("nan")
        if last:
            x = x.contiguous(memory_format=t.channels_last if x.dim() == 4 else t.channels_last_3d)
        grid = t.rand(shape[0], *shape[2:-1], 67, len(shape) - 2) * 3 - 1.5
        return t.nn.functional.grid_sample(x, grid, mode, align_corners=False)

    assert close(result(sample_values, mt), result(sample_values, oracle), relative=1e-4, absolute=1e-4)


# The kernel copies output lines with the same source line.
@pytest.mark.parametrize("mode", ["nearest", "nearest-exact"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "uint8", "bfloat16"])
@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("size", [(9, 10), (3, 5), (1, 1), (7, 2), (40, 33)])
def test_nearest_neighbours_are_copied_exactly(mt, oracle, size, last, dtype, mode):
    def resize_to_nearest(t):
        x = (t.arange(2 * 3 * 3 * 5).reshape(2, 3, 3, 5) * 7 % 251).to(getattr(t, dtype))
        y = t.nn.functional.interpolate(_to_channels_last(t, x) if last else x, size, mode=mode)
        return y.tolist(), y.stride()

    assert resize_to_nearest(mt) == resize_to_nearest(oracle)


@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("corners", [True, False])
@pytest.mark.parametrize(
    ("shape", "points", "mode"),
    [((1, 2, 3, 7), (5, 29), m) for m in ("bilinear", "nearest", "bicubic")]
    + [((2, 1, 1, 1), (4, 16), m) for m in ("bilinear", "nearest", "bicubic")]
    + [((1, 2, 3, 1, 5), (3, 5, 9), m) for m in ("bilinear", "nearest")],
)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_grid_sample_of_points_far_off_and_its_gradients_match_torch(
    mt, oracle, shape, points, mode, padding, corners, dtype
):
    def sample_values(t):
        sample = t.nn.functional.grid_sample
        x = _make_image(t, *shape).to(getattr(t, dtype)).requires_grad_()
        grid = (t.rand(shape[0], *points, len(points)) * 8 - 4).to(getattr(t, dtype))
        grid.view(-1)[:6] = t.tensor([1.0, -1.0, 0.0, 1e3, -1e3, 0.5])
        grid.requires_grad_()
        y = sample(x, grid, mode, padding, corners)
        lost = grid.detach().clone()
        for place, value in enumerate((float("nan"), float("inf"), -float("inf"), 1e6, -1e6)):
            lost.view(-1)[place * 7] = value
        results = [y, sample(x.detach(), lost, mode, padding, corners)]
        if y.numel():
            results += t.autograd.grad(y, (x, grid), _make_image(t, *y.shape).to(y.dtype))
        return results

    assert close(result(sample_values, mt), result(sample_values, oracle), relative=1e-3, absolute=1e-3)


def test_grid_sample_of_the_nearest_keeps_the_sign_of_zero(mt, oracle):
    def sample_values(t):
        x, grid = -t.zeros(1, 2, 3, 3), t.rand(1, 5, 16, 2) * 2 - 1
        return t.signbit(t.nn.functional.grid_sample(x, grid, "nearest", align_corners=False)).tolist()

    assert sample_values(mt) == sample_values(oracle)


@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
def test_grid_sample_differentiates_twice(mt, mode):
    x = mt.randn(1, 2, 3, 4, dtype=mt.double, requires_grad=True)
    grid = (mt.rand(1, 2, 3, 2, dtype=mt.double) * 1.6 - 0.8).requires_grad_()
    assert mt.autograd.gradgradcheck(
        lambda x, grid: mt.nn.functional.grid_sample(x, grid, mode, "border", True), (x, grid)
    )


REFUSALS = {
    "a size of zero": lambda t, f: f.interpolate(t.zeros(1, 1, 4, 4), size=(0, 3)),
    "no channels": lambda t, f: f.interpolate(t.zeros(1, 0, 4, 4), size=(2, 3)),
    "integers": lambda t, f: f.interpolate(t.zeros(1, 1, 4, 4, dtype=t.int32), size=(2, 3)),
    "integers, linearly": lambda t, f: f.interpolate(t.zeros(1, 1, 4, dtype=t.int32), size=2, mode="linear"),
    "half precision without aliasing": lambda t, f: f.interpolate(
        t.zeros(1, 1, 4, 4, dtype=t.half), size=(2, 3), mode="bilinear", antialias=True
    ),
    "sizes and scales": lambda t, f: t.ops.aten.upsample_nearest1d.vec(t.zeros(1, 1, 4), [3], [2.0]),
    "a reflection wider than the image": lambda t, f: f.pad(t.zeros(1, 1, 3), (3, 0), "reflect"),
    "a border that leaves nothing": lambda t, f: f.pad(t.zeros(1, 1, 3), (-2, -1), "replicate"),
    "a border on too many dimensions": lambda t, f: f.pad(t.zeros(1, 1, 3, 3), (1, 1), "reflect"),
    "a border that wraps twice": lambda t, f: f.pad(t.zeros(1, 1, 3), (4, 0), "circular"),
    "a border as wide as an int64": lambda t, f: f.pad(t.zeros(1, 1, 3), (2**62, 2**62), "replicate"),
    "a constant border as wide as an int64": lambda t, f: f.pad(t.zeros(3), (2**62, 2**62)),
    "an unknown mode": lambda t, f: f.pad(t.zeros(1, 1, 3), (1, 1), "mirror"),
    "a value beside a mode": lambda t, f: f.pad(t.zeros(1, 1, 3), (1, 1), "reflect", 2.0),
    "channels that make no square": lambda t, f: f.pixel_shuffle(t.zeros(1, 6, 2, 2), 2),
    "an upscale factor of zero": lambda t, f: f.pixel_shuffle(t.zeros(1, 4, 2, 2), 0),
    "an upscale factor whose square overflows": lambda t, f: f.pixel_shuffle(t.zeros(1, 4, 2, 2), 2**32),
    "groups that do not divide": lambda t, f: f.channel_shuffle(t.zeros(1, 4, 2, 2), 3),
    "a grid of another batch": lambda t, f: f.grid_sample(t.zeros(1, 1, 2, 2), t.zeros(2, 2, 2, 2)),
    "cubic sampling of a volume": lambda t, f: f.grid_sample(
        t.zeros(1, 1, 2, 2, 2), t.zeros(1, 2, 2, 2, 3), mode="bicubic", align_corners=True
    ),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_errors_match_torch(mt, oracle, name):
    ours, theirs = (outcome(lambda t: REFUSALS[name](t, t.nn.functional), t) for t in (mt, oracle))
    assert ours == theirs


def test_a_meta_image_has_the_result_shape(mt):
    x = mt.zeros(2, 3, 4, 5, device="meta")
    assert mt.nn.functional.interpolate(x, scale_factor=2, mode="bicubic").shape == (2, 3, 8, 10)
    assert mt.nn.functional.pad(x, (1, 2, 3, 0), "reflect").shape == (2, 3, 7, 8)
