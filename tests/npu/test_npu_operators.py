"""Operators on a device match the CPU's values and gradients, also with data-dependent result sizes."""

import pytest


def _make_points(mt):
    return mt.randn(4, 5, generator=mt.Generator().manual_seed(0))


def _make_numbers(mt):
    return mt.tensor([3, 1, 3, 0, 1, 3, 2, 2, 0, 3])


def _make_images(mt):
    return mt.randn(2, 3, 8, 8, generator=mt.Generator().manual_seed(1))


def _make_symmetric_matrices(mt):
    a = mt.randn(3, 6, 6, generator=mt.Generator().manual_seed(2))
    return a @ a.mT + 6 * mt.eye(6)


def _copy_with_masked_values(x, mask, values):
    y = x.clone()
    y[mask] = values
    return y


# Each function takes the package and a tensor on the device.
ON_POINTS = {
    "nonzero": lambda mt, x: x.gt(0).nonzero(),
    "nonzero as tuple": lambda mt, x: x.gt(0).nonzero(as_tuple=True),
    "nonzero of a number": lambda mt, x: x[0, 0].nonzero(),
    "nonzero of nothing": lambda mt, x: x[:0].nonzero(),
    "nonzero of zeros": lambda mt, x: mt.zeros_like(x).nonzero(),
    "nonzero out": lambda mt, x: mt.nonzero(x, out=mt.empty(20, 2, dtype=mt.int64, device=x.device)),
    "where": lambda mt, x: mt.where(x > 0),
    "argwhere": lambda mt, x: mt.argwhere(x > 0),
    "masked_select": lambda mt, x: mt.masked_select(x, x > 0),
    "masked_select broadcast": lambda mt, x: mt.masked_select(x, x[0] > 0),
    "masked_scatter": lambda mt, x: x.masked_scatter(x > 0, mt.arange(20.0, device=x.device)),
    "mask of elements": lambda mt, x: x[x > 0],
    "mask of rows": lambda mt, x: x[x[:, 0] > 0],
    "mask of columns": lambda mt, x: x[:, x[0] > 0],
    "mask on the host": lambda mt, x: x[(x > 0).cpu()],
    "mask and index": lambda mt, x: x[x[:, 0] > 0, mt.tensor([1], device=x.device)],
    "set under a mask": lambda mt, x: _copy_with_masked_values(x, x > 0, 7.0),
    "set rows under a mask": lambda mt, x: _copy_with_masked_values(x, x[:, 0] > 0, x[1]),
    "isnan": lambda mt, x: mt.isnan(x / x.floor()),
    "ne": lambda mt, x: x != x.flip(0),
    "scatter": lambda mt, x: mt.zeros_like(x).scatter(1, mt.tensor([[0], [1], [2], [3]], device=x.device), x),
    "scatter of a number": lambda mt, x: x.clone().scatter_(1, mt.tensor([[0], [1]], device=x.device), 2.5),
    "argmax": lambda mt, x: (x.argmax(), x.argmax(1), x.argmin(0, keepdim=True), x.argmin(keepdim=True)),
    "repeat_interleave": lambda mt, x: x.repeat_interleave(mt.tensor([1, 0, 3, 2], device=x.device), 0),
    "rot90": lambda mt, x: x.rot90(),
    "cov": lambda mt, x: mt.cov(x, fweights=mt.arange(1, 6, device=x.device)),
    "put": lambda mt, x: x.clone().put_(mt.tensor([1, -1, 1], device=x.device), x[0, :3], accumulate=True),
    "index_fill by a tensor": lambda mt, x: x.index_fill(1, mt.tensor([0, 2], device=x.device), x[1, 1]),
    "linspace between tensors": lambda mt, x: mt.linspace(x[0, 0], x[0, 1], 5, device=x.device),
    "bincount": lambda mt, x: mt.bincount(x.abs().long().flatten(), minlength=3),
    "searchsorted": lambda mt, x: mt.searchsorted(x.sort(1).values, x, side="right"),
    "bucketize": lambda mt, x: mt.bucketize(x, mt.tensor([-1.0, 0.0, 1.0], device=x.device)),
    "unique_consecutive of rows": lambda mt, x: mt.unique_consecutive(x[:2].repeat_interleave(2, 0), dim=0),
    "unique of rows": lambda mt, x: mt.unique(x.repeat(2, 1), dim=0, return_inverse=True, return_counts=True),
    "svd": lambda mt, x: mt.linalg.svdvals(x),
    "nan_to_num": lambda mt, x: (x / x.relu()).nan_to_num(),
    "narrow": lambda mt, x: mt.narrow(x, 0, mt.tensor(1, device=x.device), 2),
    "cross": lambda mt, x: mt.linalg.cross(x[:, :3], x[:, 1:4]),
    "xlogy": lambda mt, x: (mt.xlogy(x, x.abs()), mt.xlogy(2.0, x.abs()), mt.xlogy(x, 2.0)),
}
WITH_GRADIENT = {
    "hardtanh": lambda mt, x: mt.nn.functional.hardtanh(x),
    "threshold": lambda mt, x: mt.nn.functional.threshold(x, 0.1, 2.0),
    "leaky_relu": lambda mt, x: mt.nn.functional.leaky_relu(x),
    "softshrink": lambda mt, x: mt.nn.functional.softshrink(x),
    "hardshrink": lambda mt, x: mt.nn.functional.hardshrink(x),
    "hardsigmoid": lambda mt, x: mt.nn.functional.hardsigmoid(x),
    "logsigmoid": lambda mt, x: mt.nn.functional.logsigmoid(x),
    "mse_loss": lambda mt, x: mt.nn.functional.mse_loss(x, 2 * x),
    "l1_loss": lambda mt, x: mt.nn.functional.l1_loss(x, x.detach() * 2),
    "smooth_l1_loss": lambda mt, x: mt.nn.functional.smooth_l1_loss(x, x.detach() * 3),
    "binary_cross_entropy": lambda mt, x: mt.nn.functional.binary_cross_entropy(x.sigmoid(), (x > 0).to(x.dtype)),
    "kl_div": lambda mt, x: mt.nn.functional.kl_div(x.log_softmax(1), x.softmax(1), reduction="sum"),
    "trace": lambda mt, x: x[:4, :4].trace(),
    "median": lambda mt, x: x.median(1).values,
    "kthvalue": lambda mt, x: x.kthvalue(2).values,
    "lgamma": lambda mt, x: x.abs().lgamma(),
    "huber_loss": lambda mt, x: mt.nn.functional.huber_loss(x, x.detach() * 3, delta=0.7),
    "index_copy": lambda mt, x: x.index_copy(0, mt.tensor([2, 0], device=x.device), x[1:3]),
    "scatter_reduce": lambda mt, x: x.scatter_reduce(1, (x > 0).long(), x, "amax", include_self=False),
    "cumprod": lambda mt, x: x.cumprod(1),
    "prod": lambda mt, x: x.prod(0),
    "aminmax": lambda mt, x: sum(x.aminmax(dim=1)),
    "nansum": lambda mt, x: x.nansum(0),
    "renorm": lambda mt, x: x.renorm(2, 0, 0.5),
    "qr": lambda mt, x: mt.linalg.qr(x.mT).R,
    "solve_triangular": lambda mt, x: mt.linalg.solve_triangular(x[:, :4].triu() + 3, x, upper=True),
    "cholesky": lambda mt, x: mt.linalg.cholesky(x @ x.mT + mt.eye(4, device=x.device)),
    "inv": lambda mt, x: mt.linalg.inv(x[:, :4] + 5 * mt.eye(4, device=x.device)),
    "group_norm": lambda mt, x: mt.nn.functional.group_norm(x, 5),
    "mask": lambda mt, x: x[x > 0],
    "masked_select": lambda mt, x: mt.masked_select(x, x > 0),
}
ON_NUMBERS = {
    "unique": lambda mt, x: mt.unique(x, return_inverse=True, return_counts=True),
    "unique alone": lambda mt, x: mt.unique(x),
    "unique inverse": lambda mt, x: mt.unique(x.view(2, 5), return_inverse=True),
    "isin": lambda mt, x: mt.isin(x, mt.tensor([1, 3], device=x.device)),
    "isin of numbers": lambda mt, x: (mt.isin(x, 1), mt.isin(1, x), mt.isin(x, 1, invert=True)),
}
ON_IMAGES = {
    "max_pool2d": lambda mt, x: mt.nn.functional.max_pool2d(x, 2),
    "adaptive_avg_pool2d": lambda mt, x: mt.nn.functional.adaptive_avg_pool2d(x, 2),
    "conv2d": lambda mt, x: mt.nn.functional.conv2d(x, x[:, :, :3, :3], padding=1),
    "conv_transpose2d": lambda mt, x: mt.nn.functional.conv_transpose2d(x, x.view(3, 2, 8, 8)[:, :, :3, :3], stride=2),
    "batch_norm": lambda mt, x: mt.nn.functional.batch_norm(x, None, None, training=True) ** 3,
    "avg_pool2d": lambda mt, x: mt.nn.functional.avg_pool2d(x, 3, padding=1),
    "avg_pool2d by 5": lambda mt, x: mt.nn.functional.avg_pool2d(x, 2, divisor_override=5),
    "adaptive_max_pool2d": lambda mt, x: mt.nn.functional.adaptive_max_pool2d(x, 3),
    "bilinear": lambda mt, x: mt.nn.functional.interpolate(x, size=5, mode="bilinear"),
    "bilinear by a factor": lambda mt, x: mt.nn.functional.interpolate(x, scale_factor=1.3, mode="bilinear"),
    "bicubic": lambda mt, x: mt.nn.functional.interpolate(x, size=5, mode="bicubic", align_corners=True),
    "nearest by a factor": lambda mt, x: mt.nn.functional.interpolate(x, scale_factor=1.7),
    "nearest-exact": lambda mt, x: mt.nn.functional.interpolate(x, scale_factor=1.7, mode="nearest-exact"),
    "antialiased": lambda mt, x: mt.nn.functional.interpolate(x, size=5, mode="bicubic", antialias=True),
    "max_pool3d": lambda mt, x: mt.nn.functional.max_pool3d(x, 2),
    "avg_pool3d": lambda mt, x: mt.nn.functional.avg_pool3d(x, 3, padding=1),
    "unfold": lambda mt, x: mt.nn.functional.unfold(x, 3, padding=1),
    "grid_sample": lambda mt, x: mt.nn.functional.grid_sample(x, x[:, :2].movedim(1, -1).tanh(), align_corners=False),
    "pixel_shuffle": lambda mt, x: mt.nn.functional.pixel_unshuffle(x, 2),
    "nearest": lambda mt, x: mt.nn.functional.interpolate(x, scale_factor=2),
    "reflect": lambda mt, x: mt.nn.functional.pad(x, (1, 2, 3, 0), mode="reflect"),
    "replicate": lambda mt, x: mt.nn.functional.pad(x, (1, 2, 3, 0), mode="replicate"),
    "cummax": lambda mt, x: x.cummax(3).values,
    "nll_loss of images": lambda mt, x: mt.nn.functional.nll_loss(x, mt.arange(128, device=x.device).view(2, 8, 8) % 3),
}
ON_MATRICES = {
    "cholesky": lambda mt, a: mt.linalg.cholesky(a),
    "cholesky upper": lambda mt, a: mt.linalg.cholesky(a, upper=True),
    "cholesky codes": lambda mt, a: mt.linalg.cholesky_ex(mt.stack([a[0], -a[1]])).info,
}
VALUES = [
    pytest.param(make, run, id=name)
    for make, table in ((_make_points, ON_POINTS), (_make_numbers, ON_NUMBERS), (_make_symmetric_matrices, ON_MATRICES))
    for name, run in table.items()
]
GRADIENTS = [
    pytest.param(make, run, id=name)
    for make, table in ((_make_points, WITH_GRADIENT), (_make_images, ON_IMAGES))
    for name, run in table.items()
]


def _assert_same(mt, ours, theirs):
    assert type(ours) is type(theirs)
    if isinstance(ours, tuple):
        assert len(ours) == len(theirs)
        for one, other in zip(ours, theirs, strict=True):
            _assert_same(mt, one, other)
        return
    assert ours.device == mt.device("npu:0")
    mt.testing.assert_close(ours.cpu(), theirs, equal_nan=True)


@pytest.mark.parametrize(("make", "run"), VALUES)
def test_values_are_the_cpus(mt, make, run):
    x = make(mt)
    _assert_same(mt, run(mt, x.npu()), run(mt, x))


@pytest.mark.parametrize(("make", "run"), GRADIENTS)
def test_values_and_gradients_are_the_cpus(mt, make, run):
    x = make(mt)
    on_host, on_device = x.clone().requires_grad_(), x.npu().requires_grad_()
    theirs, ours = run(mt, on_host), run(mt, on_device)
    _assert_same(mt, ours, theirs)
    for result in (theirs, ours):
        result.backward(mt.ones_like(result))
    _assert_same(mt, on_device.grad, on_host.grad)


LAYERS = {
    "LSTM": lambda nn: nn.LSTM(5, 3, num_layers=2, bidirectional=True),
    "GRU": lambda nn: nn.GRU(5, 3, batch_first=True),
    "RNN": lambda nn: nn.RNN(5, 3, nonlinearity="relu"),
}


@pytest.mark.parametrize("name", LAYERS)
def test_recurrent_layers_train_as_on_the_cpu(mt, name):
    mt.manual_seed(0)
    host, x = LAYERS[name](mt.nn), mt.randn(4, 2, 5)
    device = LAYERS[name](mt.nn)
    device.load_state_dict(host.state_dict())
    device.npu()
    for layer, given in ((host, x), (device, x.npu())):
        layer(given)[0].sum().backward()
    _assert_same(mt, device(x.npu())[0], host(x)[0])
    for ours, theirs in zip(device.parameters(), host.parameters(), strict=True):
        _assert_same(mt, ours.grad, theirs.grad)


def test_packed_sequences_keep_their_device(mt):
    x = _make_points(mt)[..., None].npu()
    packed = mt.nn.utils.rnn.pack_padded_sequence(x, mt.tensor([5, 3, 3, 1]), batch_first=True)
    assert packed.data.device == x.device and packed.batch_sizes.tolist() == [4, 3, 3, 1, 1]
    padded, lengths = mt.nn.utils.rnn.pad_packed_sequence(packed, batch_first=True)
    assert padded.device == x.device and lengths.tolist() == [5, 3, 3, 1]
    assert padded[0].equal(x[0]) and padded[3, 1:].count_nonzero() == 0


@pytest.mark.parametrize("mode", ["sum", "mean"])
def test_embedding_bags_train_as_on_the_cpu(mt, mode):
    table, bags, starts = mt.randn(6, 3), mt.tensor([1, 4, 4, 0, 2]), mt.tensor([0, 2, 2])
    grads = []
    for device in ("cpu", "npu"):
        weight = table.detach().to(device).requires_grad_()
        out = mt.nn.functional.embedding_bag(bags.to(device), weight, starts.to(device), mode=mode)
        (out * out).sum().backward()
        grads.append(weight.grad.cpu())
    mt.testing.assert_close(*grads)


def test_batch_norm_moves_its_running_statistics(mt):
    x = _make_images(mt)
    host, device = mt.nn.BatchNorm2d(3), mt.nn.BatchNorm2d(3).npu()
    _assert_same(mt, device(x.npu()), host(x))
    _assert_same(mt, device.running_mean, host.running_mean)
    _assert_same(mt, device.eval()(x.npu()), host.eval()(x))


def test_multinomial_follows_weights_and_generator(mt):
    weights = mt.tensor([[0.0, 1.0, 0.0, 0.0], [0.5, 0.0, 0.0, 0.5]], device="npu")
    mt.npu.manual_seed(1)
    first = mt.multinomial(weights, 1)
    mt.npu.manual_seed(1)
    assert first.equal(mt.multinomial(weights, 1)) and first[0].item() == 1 and first[1].item() in (0, 3)
    waits = mt.empty(1000, device="npu").exponential_(2.0)
    assert waits.min().item() > 0 and waits.mean().item() == pytest.approx(0.5, rel=0.2)  # 1 / lambd


def test_wrong_masks_have_the_cpus_errors(mt):
    x = _make_points(mt).npu()
    with pytest.raises(IndexError, match=r"The shape of the mask \[5\] at index 0 does not match"):
        x[mt.ones(5, dtype=mt.bool, device="npu")]
    with pytest.raises(RuntimeError, match="Number of elements of source < number of ones in mask"):
        x.masked_scatter(x == x, mt.ones(3, device="npu"))
    with pytest.raises(mt.linalg.LinAlgError, match="the leading minor of order 1 is not positive-definite"):
        mt.linalg.cholesky(-mt.eye(2, device="npu"))
