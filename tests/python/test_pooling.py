"""Pooling: values, indices, strides, errors and gradients match real torch."""

import pytest
from outcomes import outcome


def _make_input(t, *shape):
    count = 1
    for size in shape:
        count *= size
    return ((t.arange(count) * 37 % 23 - 11).float() / 8).reshape(shape)


def _to_channels_last(t, x):
    return x.contiguous(memory_format=t.channels_last if x.dim() == 4 else t.channels_last_3d)


LINE, PLANE, VOLUME = (2, 3, 9), (2, 3, 8, 9), (2, 3, 6, 7, 8)
KINDS = {
    "max_pool1d": (lambda t: t.max_pool1d, LINE),
    "max_pool1d_with_indices": (lambda t: t.max_pool1d_with_indices, LINE),
    "max_pool2d": (lambda t: t.max_pool2d, PLANE),
    "max_pool2d_with_indices": (lambda t: t._C._nn.max_pool2d_with_indices, PLANE),
    "max_pool3d": (lambda t: t.max_pool3d, VOLUME),
    "max_pool3d_with_indices": (lambda t: t._C._nn.max_pool3d_with_indices, VOLUME),
    "avg_pool1d": (lambda t: t.avg_pool1d, LINE),
    "avg_pool2d": (lambda t: t._C._nn.avg_pool2d, PLANE),
    "avg_pool3d": (lambda t: t._C._nn.avg_pool3d, VOLUME),
}
ADAPTIVE = {
    "adaptive_avg_pool1d": (lambda t: t.adaptive_avg_pool1d, LINE),
    "adaptive_avg_pool2d": (lambda t: t._C._nn.adaptive_avg_pool2d, PLANE),
    "adaptive_avg_pool3d": (lambda t: t._C._nn.adaptive_avg_pool3d, VOLUME),
    "adaptive_max_pool1d": (lambda t: t.adaptive_max_pool1d, LINE),
    "adaptive_max_pool2d": (lambda t: t._C._nn.adaptive_max_pool2d, PLANE),
    "adaptive_max_pool3d": (lambda t: t._C._nn.adaptive_max_pool3d, VOLUME),
}
WINDOWS = {
    "plain": lambda t, f, x: f(x, 3),
    "strided and padded": lambda t, f, x: f(x, 3, 2, 1),
    "overlapping": lambda t, f, x: f(x, 3, 1),
    "ceil": lambda t, f, x: f(x, 2, 2, 1, ceil_mode=True),
    "channels last": lambda t, f, x: f(_to_channels_last(t, x) if x.dim() > 3 else x, 2),
    "without batch": lambda t, f, x: f(x[0], 2),
    "strided input": lambda t, f, x: f(x.transpose(-1, -2), 2),
    "kernel 0": lambda t, f, x: f(x, 0),
    "kernel -1": lambda t, f, x: f(x, -1),
    "stride 0": lambda t, f, x: f(x, 2, 0),
    "padding -1": lambda t, f, x: f(x, 2, 1, -1),
    "padding 2 of 2": lambda t, f, x: f(x, 2, 1, 2),
    "kernel larger than the input": lambda t, f, x: f(x, 20),
    "kernel of too many": lambda t, f, x: f(x, [2] * (x.dim() - 1)),
    "stride of too many": lambda t, f, x: f(x, 2, [2] * (x.dim() - 1)),
    "padding of too many": lambda t, f, x: f(x, 2, 2, [1] * (x.dim() - 1)),
    "a vector": lambda t, f, x: f(x.flatten()[:3], 2),
    "one dimension more": lambda t, f, x: f(x[None], 2),
    "no images": lambda t, f, x: f(x[:0], 2),
    "no channels": lambda t, f, x: f(x[:, :0], 2),
    "no pixels": lambda t, f, x: f(x[..., :0], 2),
    "int64": lambda t, f, x: f(x.long(), 2),
    "bool": lambda t, f, x: f(x.bool(), 2),
    "complex64": lambda t, f, x: f(x.to(t.complex64), 2),
    "uint8": lambda t, f, x: f(x.abs().to(t.uint8), 2),
    "bfloat16": lambda t, f, x: f(x.bfloat16(), 2),
    "NaN": lambda t, f, x: f(x.masked_fill(x > 1, float("nan")), 3, 1, 1),
    "negative infinity": lambda t, f, x: f(t.full_like(x, -float("inf")), 3, 1, 1),
    "meta": lambda t, f, x: f(x.to("meta"), 2),
}


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("name", KINDS)
def test_window_outcome_matches_torch(mt, oracle, name, window):
    function, shape = KINDS[name]
    call = WINDOWS[window]
    ours, theirs = (outcome(lambda t: call(t, function(t), _make_input(t, *shape)), torch) for torch in (mt, oracle))
    assert ours == theirs


SIZES = {
    "one": lambda t, f, x, n: f(x, [1] * n),
    "three": lambda t, f, x, n: f(x, [3] * n),
    "more than there are": lambda t, f, x, n: f(x, [11] * n),
    "none": lambda t, f, x, n: f(x, [0] * n),
    "negative": lambda t, f, x, n: f(x, [-1] * n),
    "too many": lambda t, f, x, n: f(x, [2] * (n + 1)),
    "channels last": lambda t, f, x, n: f(_to_channels_last(t, x) if n > 1 else x, [3] * n),
    "channels last to one": lambda t, f, x, n: f(_to_channels_last(t, x) if n > 1 else x, [1] * n),
    "a vector": lambda t, f, x, n: f(x.flatten()[:3], [2] * n),
    "no images": lambda t, f, x, n: f(x[:0], [2] * n),
    "no channels": lambda t, f, x, n: f(x[:, :0], [2] * n),
    "no pixels": lambda t, f, x, n: f(x[..., :0], [2] * n),
    "int64": lambda t, f, x, n: f(x.long(), [2] * n),
    "int64 to one": lambda t, f, x, n: f(x.long(), [1] * n),
    "half": lambda t, f, x, n: f(x.half(), [2] * n),
    "NaN": lambda t, f, x, n: f(x.masked_fill(x > 1, float("nan")), [2] * n),
}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", ADAPTIVE)
def test_size_outcome_matches_torch(mt, oracle, name, size):
    function, shape = ADAPTIVE[name]
    call = SIZES[size]
    ours, theirs = (
        outcome(lambda t: call(t, function(t), _make_input(t, *shape), len(shape) - 2), torch) for torch in (mt, oracle)
    )
    assert ours == theirs


OTHER_CALLS = {
    "divisor": lambda t, f: f.avg_pool2d(_make_input(t, *PLANE), 3, 2, 1, divisor_override=-3),
    "divisor 0": lambda t, f: f.avg_pool2d(_make_input(t, *PLANE), 3, divisor_override=0),
    "padding not counted": lambda t, f: f.avg_pool3d(_make_input(t, *VOLUME), 3, 2, 1, True, False),
    "dilation": lambda t, f: f.max_pool2d(_make_input(t, *PLANE), 3, 1, 1, (2, 3), return_indices=True),
    "dilation 0": lambda t, f: f.max_pool2d(_make_input(t, *PLANE), 3, 1, 1, 0),
    "huge kernel": lambda t, f: t._C._nn.max_pool2d_with_indices(_make_input(t, *PLANE), 2**62),
    "unpool": lambda t, f: f.max_unpool2d(
        *f.max_pool2d(_make_input(t, *PLANE), 2, return_indices=True), 2, output_size=(8, 9)
    ),
    "unpool channels last": lambda t, f: f.max_unpool2d(
        *f.max_pool2d(_to_channels_last(t, _make_input(t, *PLANE)), 2, return_indices=True), 2, output_size=(8, 9)
    ),
    "unpool a line": lambda t, f: f.max_unpool1d(*f.max_pool1d(_make_input(t, *LINE), 2, return_indices=True), 2),
    "unpool a volume": lambda t, f: f.max_unpool3d(
        *f.max_pool3d(_make_input(t, *VOLUME), 2, return_indices=True), 2, output_size=(6, 7, 8)
    ),
    "unpool outside": lambda t, f: t._C._nn.max_unpool2d(_make_input(t, 1, 1, 1, 1), t.tensor([[[[90]]]]), [8, 9]),
    "unpool by int32": lambda t, f: t._C._nn.max_unpool2d(
        _make_input(t, 1, 1, 1, 1), t.zeros(1, 1, 1, 1).int(), [8, 9]
    ),
    "unpool a volume by int32": lambda t, f: t._C._nn.max_unpool3d(
        _make_input(t, 1, 1, 1, 1, 1), t.zeros(1, 1, 1, 1, 1).int(), [2, 2, 2], [2, 2, 2], [0, 0, 0]
    ),
    "unpool to nothing": lambda t, f: t._C._nn.max_unpool2d(
        _make_input(t, 1, 1, 1, 1), t.zeros(1, 1, 1, 1).long(), [-8, 9]
    ),
    "fractional": lambda t, f: f.fractional_max_pool2d(
        _make_input(t, *PLANE), 2, (3, 4), return_indices=True, _random_samples=_make_input(t, 2, 3, 2).abs() / 2
    ),
    "fractional volume": lambda t, f: f.fractional_max_pool3d(
        _make_input(t, *VOLUME), 2, (3, 4, 2), return_indices=True, _random_samples=_make_input(t, 2, 3, 3).abs() / 2
    ),
    "fractional samples": lambda t, f: f.fractional_max_pool2d(
        _make_input(t, *PLANE), 2, 3, _random_samples=_make_input(t, 2, 3, 1)
    ),
    "fractional kernel": lambda t, f: f.fractional_max_pool2d(
        _make_input(t, *PLANE), 7, 3, _random_samples=_make_input(t, 2, 3, 2)
    ),
    "fractional ratio": lambda t, f: f.fractional_max_pool2d(t.ones(2, 3, 8, 8), 2, output_ratio=0.5),
    "lp": lambda t, f: f.lp_pool2d(_make_input(t, *PLANE).abs(), 1.0, 2),
    "gradient of another shape": lambda t, f: t.ops.aten.avg_pool2d_backward(
        _make_input(t, 2, 3, 3, 3), _make_input(t, *PLANE), [2, 2], [2, 2], [0, 0], False, True, None
    ),
    "gradient of another dtype": lambda t, f: t.ops.aten.adaptive_max_pool2d_backward(
        _make_input(t, 2, 3, 2, 2).double(), _make_input(t, *PLANE), t.zeros(2, 3, 2, 2).long()
    ),
}


@pytest.mark.parametrize("name", OTHER_CALLS)
def test_outcome_is_real_torchs(mt, oracle, name):
    call = OTHER_CALLS[name]
    assert outcome(lambda t: call(t, t.nn.functional), mt) == outcome(lambda t: call(t, t.nn.functional), oracle)


# The kernel computes several adjacent windows in one vector, and the last vector of a line may be partial. If windows
# have no gaps between them, it treats several lines as one.
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
@pytest.mark.parametrize(
    ("kernel", "stride", "padding", "dilation"),
    [(1, 1, 0, 1), (2, 2, 0, 1), (3, 1, 1, 1), (3, 2, 1, 1), (3, 2, 0, 4), (5, 3, 2, 2), (8, 8, 0, 1), (2, 6, 0, 3)]
    + [(40, 1, 20, 1)],
)
@pytest.mark.parametrize("width", [40, 48, 97])
def test_max_pool1d_without_indices_matches_torch(mt, oracle, width, kernel, stride, padding, dilation, dtype):
    def pool_lines(t, places):
        x = (t.arange(3 * 5 * width) * 37 % 101 - 50).to(getattr(t, dtype)).view(3, 5, width)
        x[0, 1, 3], x[1, 2, width - 1], x[2, 0, ::7] = float("nan"), float("inf"), -float("inf")
        x[2, 4] = -float("inf")
        found = t.nn.functional.max_pool1d(x, kernel, stride, padding, dilation, return_indices=places)
        return found[0] if places else found

    ours, theirs = pool_lines(mt, False), pool_lines(oracle, True)
    assert str(ours.dtype) == str(theirs.dtype)
    assert oracle.equal(oracle.tensor(ours.tolist()).nan_to_num(7e7), theirs.float().nan_to_num(7e7))


GRADIENTS = {
    "max_pool1d": (LINE, lambda f, x: f.max_pool1d(x, 3, 2, 1)),
    "max_pool2d": (PLANE, lambda f, x: f.max_pool2d(x, 3, 1, 1, 2)),
    "max_pool3d": (VOLUME, lambda f, x: f.max_pool3d(x, 3, 2, ceil_mode=True)),
    "avg_pool1d": (LINE, lambda f, x: f.avg_pool1d(x, 3, 2, 1)),
    "avg_pool2d": (PLANE, lambda f, x: f.avg_pool2d(x, (4, 2), 2, 1, True, False)),
    "avg_pool3d": (VOLUME, lambda f, x: f.avg_pool3d(x, (2, 3, 1), 2)),
    "adaptive_avg_pool2d": (PLANE, lambda f, x: f.adaptive_avg_pool2d(x, (3, 5))),
    "adaptive_avg_pool3d": (VOLUME, lambda f, x: f.adaptive_avg_pool3d(x, 3)),
    "adaptive_avg_pool2d to one": (PLANE, lambda f, x: f.adaptive_avg_pool2d(x, 1)),
    "adaptive_max_pool2d": (PLANE, lambda f, x: f.adaptive_max_pool2d(x, (3, 5))),
    "adaptive_max_pool3d": (VOLUME, lambda f, x: f.adaptive_max_pool3d(x, 3)),
    "lp_pool1d": (LINE, lambda f, x: f.lp_pool1d(x + 3, 2.0, 2)),
}


@pytest.mark.parametrize("name", GRADIENTS)
def test_nodes_and_gradients_of_any_order_are_real_torchs(mt, oracle, name):
    shape, call = GRADIENTS[name]

    def differentiate_twice(t):
        x = _make_input(t, *shape).requires_grad_()
        out = call(t.nn.functional, x)
        (grad,) = t.autograd.grad((out * out).sum(), x, create_graph=True)
        (second,) = t.autograd.grad((grad * grad).sum(), x)
        return [out.grad_fn.name(), grad.grad_fn.name(), grad.detach(), second]

    assert outcome(differentiate_twice, mt) == outcome(differentiate_twice, oracle)


def _make_indices(t, x, n):
    values, at = (t._C._nn.max_pool2d_with_indices if n == 2 else t._C._nn.max_pool3d_with_indices)(x, 3, 2, 1)
    return values, at, t.autograd.grad(values, x, values.detach() + 1)


def _unpool_to_order(t, pooled, x, order):
    grad = t.arange(pooled.numel()).reshape(pooled.shape).to(x.dtype) / 64
    return pooled, *t.autograd.grad(pooled, x, grad.contiguous(memory_format=order))


LAST = {
    "largest": lambda t, x, order: _make_indices(t, x, 2),
    "mean": lambda t, x, order: _unpool_to_order(t, t._C._nn.avg_pool2d(x, 3, 2, 1, True), x, order),
    "mean without padding": lambda t, x, order: _unpool_to_order(
        t, t._C._nn.avg_pool2d(x, 2, 2, 1, False, False), x, order
    ),
    "sum over 4": lambda t, x, order: _unpool_to_order(
        t, t._C._nn.avg_pool2d(x, (1, 3), 1, 0, False, True, 4), x, order
    ),
    "shared out": lambda t, x, order: _unpool_to_order(t, t._C._nn._adaptive_avg_pool2d(x, (4, 3)), x, order),
    "largest shared out": lambda t, x, order: _unpool_to_order(t, t._C._nn.adaptive_max_pool2d(x, (4, 3))[0], x, order),
}


# The kernel processes channels in full vectors, and the remainder in smaller ones.
@pytest.mark.parametrize("order", ["channels_last", "contiguous_format"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("channels", [2, 5, 16, 37, 64, 71])
@pytest.mark.parametrize("kind", LAST)
def test_pixels_of_any_number_of_channels_are_real_torchs(mt, oracle, kind, channels, dtype, order):
    def pool_channels(t):
        x = _to_channels_last(t, _make_input(t, 2, channels, 9, 7).to(getattr(t, dtype))).requires_grad_()
        return LAST[kind](t, x, getattr(t, order))

    ours, theirs = (outcome(pool_channels, torch) for torch in (mt, oracle))
    assert ours == theirs


VOLUMES = {
    "largest": lambda t, x: _make_indices(t, x, 3),
    "mean": lambda t, x: _unpool_to_order(t, t._C._nn.avg_pool3d(x, 2, 1, 1), x, t.contiguous_format),
    "shared out": lambda t, x: _unpool_to_order(t, t._C._nn.adaptive_avg_pool3d(x, (3, 2, 3)), x, t.contiguous_format),
    "largest shared out": lambda t, x: _unpool_to_order(
        t, t._C._nn.adaptive_max_pool3d(x, (3, 2, 3))[0], x, t.contiguous_format
    ),
}


# Few planes are pooled row by row; many are pooled as channels of one image, a group at a time.
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("planes", [1, 3, 4, 21, 71])
@pytest.mark.parametrize("kind", LAST)
def test_planes_of_any_number_are_real_torchs(mt, oracle, kind, planes, dtype):
    def pool_planes(t):
        x = _make_input(t, 1, planes, 9, 7).to(getattr(t, dtype)).requires_grad_()
        return LAST[kind](t, x, t.contiguous_format)

    assert outcome(pool_planes, mt) == outcome(pool_planes, oracle)


@pytest.mark.parametrize("planes", [1, 3, 4, 21, 71])
@pytest.mark.parametrize("kind", VOLUMES)
def test_volumes_of_any_number_are_real_torchs(mt, oracle, kind, planes):
    ours, theirs = (
        outcome(lambda t: VOLUMES[kind](t, _make_input(t, planes, 1, 5, 4, 7).requires_grad_()), torch)
        for torch in (mt, oracle)
    )
    assert ours == theirs


# Pooling selects the last NaN and the first of equal elements. Planes of side 230 are so large that the kernel groups
# few of them.
@pytest.mark.parametrize("side", [9, 230])
@pytest.mark.parametrize("planes", [1, 5, 19])
def test_pooling_indices_of_ties_and_nan_match_torch(mt, oracle, planes, side):
    def find_indices(t):
        x = _make_input(t, planes, side, side)
        x = x.masked_fill(x > 1.3, float("nan")).masked_fill(x < 0, -float("inf"))
        return t._C._nn.max_pool2d_with_indices(x, 3, 2, 1), t._C._nn.adaptive_max_pool2d(x, (5, 7)), t.max_pool1d(x, 2)

    assert outcome(find_indices, mt) == outcome(find_indices, oracle)


def test_pooling_indices_in_channels_last_3d_match_torch(mt, oracle):
    ours, theirs = (
        outcome(
            lambda t: _make_indices(t, _to_channels_last(t, _make_input(t, 2, 19, 6, 5, 4)).requires_grad_(), 3), torch
        )
        for torch in (mt, oracle)
    )
    assert ours == theirs


# The kernel clears pixels just before sums reach them, and splits images by channels if there are fewer images than
# threads.
@pytest.mark.parametrize("images, channels", [(1, 1), (1, 40), (2, 65), (9, 3)])
@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("threads", [1, 2])
def test_index_gradients_accumulate_in_any_order(mt, oracle, threads, last, images, channels):
    def add_at_indices(t):
        x, grad = _make_input(t, images, channels, 21, 19), _make_input(t, images, channels, 18, 17)
        places = (t.arange(grad.numel()) * 7919 % (21 * 19 - 5)).reshape(grad.shape)
        if last:
            x, grad, places = _to_channels_last(t, x), _to_channels_last(t, grad), _to_channels_last(t, places)
        before = t.get_num_threads()
        t.set_num_threads(threads)
        try:
            return t.ops.aten.adaptive_max_pool2d_backward(grad, x, places)
        finally:
            t.set_num_threads(before)

    ours, theirs = (outcome(add_at_indices, torch) for torch in (mt, oracle))
    assert ours == theirs


@pytest.mark.parametrize("wrong", [-1, 72])
def test_one_place_outside_of_the_last_plane_is_refused(mt, wrong):
    for last in (False, True):
        x = _make_input(mt, *PLANE)
        x = _to_channels_last(mt, x) if last else x
        out, places = mt.nn.functional.max_pool2d(x, 2, return_indices=True)
        places[1, 2, 3, 3] = wrong
        with pytest.raises(RuntimeError, match=f"invalid max index {wrong}: the plane has 72 elements"):
            mt.ops.aten.max_pool2d_with_indices_backward(out, x, [2, 2], [2, 2], [0, 0], [1, 1], False, places)


def test_unpooling_indices_outside_the_plane_are_refused(mt):
    x = _make_input(mt, *PLANE)
    out, places = mt.nn.functional.max_pool2d(x, 2, return_indices=True)
    with pytest.raises(RuntimeError, match="invalid max index"):
        mt.ops.aten.max_pool2d_with_indices_backward(out, x, [2, 2], [2, 2], [0, 0], [1, 1], False, places + 1000)


@pytest.mark.parametrize("planes", [1, 3, 4, 6])
@pytest.mark.parametrize("shape,size", [((13, 17), (4, 5)), ((2, 4), (1, 2)), ((1, 9), (1, 4)), ((5, 3), (7, 7))])
def test_adaptive_averages_are_summed_in_torchs_order_however_many_planes_there_are(mt, oracle, planes, shape, size):
    def average_and_differentiate(t):
        t.manual_seed(5)
        x = t.randn(1, planes, *shape)
        x[0, 0].view(-1)[:2] = t.tensor([3e38, -3e38])
        x.requires_grad_()
        y = t.nn.functional.adaptive_avg_pool2d(x, size)
        y.backward(t.randn(y.shape))
        return str(y.tolist()), str(x.grad.tolist())

    assert average_and_differentiate(mt) == average_and_differentiate(oracle)
