"""Batch, instance, group and weight normalisation, and renorm: values, gradients and errors match real torch."""

import pytest
from outcomes import close, outcome, result


def _make_input(t, *shape, dtype=None):
    t.manual_seed(0)
    return t.randn(*shape, dtype=dtype)


def _call_and_differentiate(t, call, *tensors):
    leaves = [x.requires_grad_() for x in tensors]
    y = call(*leaves)
    return [y, *t.autograd.grad((y * y * y).sum(), leaves)]


def _batch_norm(t, x, training=True, eps=1e-5):
    mean, var = t.arange(x.size(1)) * 0.1, t.arange(x.size(1)) + 0.5
    w, b = t.arange(x.size(1)) + 1.0, t.arange(x.size(1)) * 0.5
    out = _call_and_differentiate(
        t, lambda x, w, b: t.batch_norm(x, w, b, mean, var, training, 0.2, eps, False), x, w, b
    )
    return [*out, mean, var]


VALUES = {
    "batch norm": lambda t: _batch_norm(t, _make_input(t, 4, 3, 5, 2)),
    "batch norm by running statistics": lambda t: _batch_norm(t, _make_input(t, 4, 3, 5, 2), training=False),
    "batch norm of rows": lambda t: _batch_norm(t, _make_input(t, 7, 3)),
    "batch norm channels last": lambda t: _batch_norm(
        t, _make_input(t, 4, 3, 5, 2).contiguous(memory_format=t.channels_last)
    ),
    "batch norm of a transposed volume": lambda t: _batch_norm(t, _make_input(t, 3, 4, 5, 2, 2).transpose(0, 1)),
    "batch norm of nothing": lambda t: t.batch_norm(t.zeros(0, 3, 2), None, None, None, None, True, 0.1, 1e-5, False),
    "batch norm's statistics": lambda t: t.native_batch_norm(
        _make_input(t, 4, 3, 5), None, None, None, None, True, 0.1, 1e-5
    ),
    "batch norm without variance": lambda t: t.native_batch_norm(t.ones(4, 2), None, None, None, None, True, 0.1, 0.0),
    "statistics alone": lambda t: t.batch_norm_update_stats(_make_input(t, 4, 3, 5), t.zeros(3), t.ones(3), 0.5),
    "instance norm": lambda t: _call_and_differentiate(
        t,
        lambda x, w: t.instance_norm(x, w, None, None, None, True, 0.1, 1e-5, False),
        _make_input(t, 2, 3, 7),
        _make_input(t, 3),
    ),
    "group norm": lambda t: _call_and_differentiate(
        t, lambda x, w, b: t.group_norm(x, 2, w, b), _make_input(t, 3, 4, 5), _make_input(t, 4), _make_input(t, 4)
    ),
    "group norm channels last": lambda t: t.group_norm(
        _make_input(t, 2, 4, 3, 3).contiguous(memory_format=t.channels_last), 2
    ),
    "group norm of nothing": lambda t: t.native_group_norm(t.zeros(0, 4, 2), None, None, 0, 4, 2, 2, 1e-5),
    "weight norm": lambda t: _call_and_differentiate(
        t, lambda v, g: t._weight_norm(v, g, 0), _make_input(t, 3, 4), _make_input(t, 3, 1)
    ),
    "weight norm of the last": lambda t: _call_and_differentiate(
        t, lambda v, g: t._weight_norm(v, g, 1), _make_input(t, 3, 4), _make_input(t, 1, 4)
    ),
    "weight norm of the middle": lambda t: t._weight_norm(_make_input(t, 2, 3, 4), _make_input(t, 1, 3, 1), 1),
    "renorm": lambda t: _call_and_differentiate(t, lambda x: t.renorm(x, 2, 0, 1.5), _make_input(t, 4, 5)),
    "renorm by the sum": lambda t: _call_and_differentiate(t, lambda x: t.renorm(x, 1, 1, 2), _make_input(t, 4, 5)),
    "renorm by the largest": lambda t: _call_and_differentiate(
        t, lambda x: t.renorm(x, float("inf"), 0, 1), _make_input(t, 4, 5)
    ),
}


@pytest.mark.parametrize("name", VALUES)
def test_matches_torch(mt, oracle, name):
    assert close(result(VALUES[name], mt), result(VALUES[name], oracle), relative=1e-4, absolute=1e-5)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_batch_norm_of_half_inputs_with_float_parameters_matches_torch(mt, oracle, dtype):
    def normalise_half_batch(t):
        x = _make_input(t, 4, 3, 5).to(getattr(t, dtype))
        return t.native_batch_norm(x, t.ones(3), t.zeros(3), t.zeros(3), t.ones(3), True, 0.1, 1e-5)

    assert close(result(normalise_half_batch, mt), result(normalise_half_batch, oracle), relative=2e-2, absolute=2e-2)
    assert [str(y.dtype) for y in normalise_half_batch(mt)] == [f"torch.{dtype}", "torch.float32", "torch.float32"]


# The kernel normalises several rows of few channels together, here four at a time.
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize(
    "shape", [(1, 3, 2, 2), (2, 3, 7, 5), (3, 17, 9, 9), (2, 64, 5, 3), (9, 5), (2, 70, 31, 8), (1, 1, 3, 3)]
)
def test_batch_norm_of_adjacent_channels_matches_torch(mt, oracle, shape, training, dtype):
    def normalise_and_differentiate(t):
        x, grad = _make_input(t, *shape).to(getattr(t, dtype)), _make_input(t, *shape).to(getattr(t, dtype)).cos()
        if len(shape) == 4:
            x, grad = x.contiguous(memory_format=t.channels_last), grad.contiguous(memory_format=t.channels_last)
        parameters = [(t.arange(shape[1]) % 7 - k).to(x.dtype).requires_grad_() for k in (2, 5)]
        mean, var = t.full((shape[1],), 0.25, dtype=x.dtype), t.full((shape[1],), 2.0, dtype=x.dtype)
        y = t.nn.functional.batch_norm(x.requires_grad_(), mean, var, *parameters, training)
        gradients = t.autograd.grad(y, [x, *parameters], grad)
        return [y, mean, var, *gradients], [str(v.stride()) for v in (y, gradients[0])]

    tolerance = {"float32": 1e-4, "float64": 1e-9}[dtype]
    assert close(
        result(normalise_and_differentiate, mt), result(normalise_and_differentiate, oracle), tolerance, tolerance
    )


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("parameters", ["float16", "float32"])
@pytest.mark.parametrize("shape", [(3, 5, 4, 6), (9, 7), (2, 3, 33)])
@pytest.mark.parametrize("layout", ["planes", "pixels", "neither"])
def test_batch_norm_of_float16_and_its_gradients_match_torch(mt, oracle, layout, shape, parameters, training):
    def normalise_and_differentiate(t):
        x, grad = (_make_input(t, *shape).half() * k for k in (3, 1))
        if layout == "pixels" and len(shape) == 4:
            x = x.contiguous(memory_format=t.channels_last)
        if layout == "neither":
            x = x.transpose(0, -1).contiguous().transpose(0, -1)
        weight, bias, mean, var = ((t.arange(shape[1]) % 3 + k).to(getattr(t, parameters)) for k in (1, 0, 0, 1))
        leaves = [v.requires_grad_() for v in (x, weight, bias)]
        y = t.nn.functional.batch_norm(leaves[0], mean, var, weight, bias, training, 0.3)
        gradients = t.autograd.grad(y, leaves, grad)
        halves = [v.dtype == t.float16 for v in (y, *gradients)]
        return [y, *gradients, mean, var], halves, [str(v.stride()) for v in (y, gradients[0])]

    assert close(result(normalise_and_differentiate, mt), result(normalise_and_differentiate, oracle), 1e-2, 1e-2)


# The kernel adds pixels four at a time in runs of 256, and splits samples into groups if there are more threads than
# samples.
@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16"])
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize(
    "groups, shape",
    [
        (1, (1, 5, 3, 3)),
        (4, (1, 36, 23, 23)),
        (32, (3, 64, 5, 1)),
        (3, (2, 96, 7, 11)),
        (2, (7, 6, 1, 1)),
        (5, (1, 50, 2, 3, 4)),
    ],
)
def test_group_norm_of_adjacent_channels_matches_torch(mt, oracle, shape, groups, affine, threads, dtype):
    def normalise_and_differentiate(t):
        x = _make_input(t, *shape) + 3
        grad = _make_input(t, *shape) * (x < 3)
        last = t.channels_last if len(shape) == 4 else t.channels_last_3d
        x, grad = (v.to(getattr(t, dtype)).contiguous(memory_format=last) for v in (x, grad))
        parameters = [(t.arange(shape[1]) % 7 - k).to(x.dtype).requires_grad_() for k in (2, 5)] if affine else []
        before = t.get_num_threads()
        t.set_num_threads(threads)
        try:
            y = t.nn.functional.group_norm(x.requires_grad_(), groups, *parameters)
            gradients = t.autograd.grad(y, [x, *parameters], grad)
        finally:
            t.set_num_threads(before)
        return [y, *gradients], [str(v.stride()) for v in (y, gradients[0])]

    tolerance = {"float32": 1e-4, "float64": 1e-9, "bfloat16": 4e-2}[dtype]
    assert close(
        result(normalise_and_differentiate, mt), result(normalise_and_differentiate, oracle), tolerance, tolerance
    )


# Sums of fewer than 32 elements, of one element per channel, and of several tiles of half types.
@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "float16"])
@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize(
    "groups, shape",
    [
        (1, (3, 1)),
        (8, (5, 64)),
        (3, (300, 33)),
        (2, (2, 80, 1)),
        (5, (7, 10, 3)),
        (4, (2, 8, 4, 4)),
        (2, (3, 6, 5, 7)),
        (1, (2, 3, 60, 61)),
        (2, (0, 4, 3)),
    ],
)
def test_group_norm_of_planes_matches_torch(mt, oracle, shape, groups, affine, dtype):
    def normalise_and_differentiate(t):
        x, grad = ((_make_input(t, *shape) * k).to(getattr(t, dtype)) for k in (3, 1))
        parameters = [(t.arange(shape[1]) % 7 - k).to(x.dtype).requires_grad_() for k in (2, 5)] if affine else []
        inner = x.numel() // max(1, shape[0] * shape[1])
        weights = parameters or (None, None)
        y, mean, rstd = t.native_group_norm(x.requires_grad_(), *weights, *shape[:2], inner, groups, 1e-3)
        return [y, *t.autograd.grad(y, [x, *parameters], grad), *((mean, rstd) if y.numel() else ())]

    tolerance = {"float32": 1e-4, "float64": 1e-9, "bfloat16": 4e-2, "float16": 6e-3}[dtype]
    assert close(
        result(normalise_and_differentiate, mt), result(normalise_and_differentiate, oracle), tolerance, tolerance
    )


def test_group_norm_keeps_nan_in_its_group(mt):
    x = mt.arange(48.0).view(2, 8, 3)
    x[0, 1, 2] = float("nan")
    y = mt.nn.functional.group_norm(x, 4)
    assert y.isnan().sum().item() == 6
    assert y[0, :2].isnan().all()


def test_group_norm_does_not_depend_on_threads(mt):
    x = _make_input(mt, 64, 96, 7).requires_grad_()
    before, results = mt.get_num_threads(), []
    for threads in (1, 3):
        mt.set_num_threads(threads)
        y = mt.nn.functional.group_norm(x, 32)
        results.append((y, *mt.autograd.grad(y, x, x.detach() * 2)))
    mt.set_num_threads(before)
    assert all(mt.equal(a, b) for a, b in zip(*results, strict=True))


@pytest.mark.parametrize("training", [True, False])
def test_batch_norm_differentiates_twice(mt, training):
    x, w, b = (mt.randn(*s, dtype=mt.double, requires_grad=True) for s in ((4, 2, 3), (2,), (2,)))
    mean, var = mt.zeros(2, dtype=mt.double), mt.ones(2, dtype=mt.double)
    assert mt.autograd.gradgradcheck(
        lambda x, w, b: mt.batch_norm(x, w, b, mean, var, training, 0.0, 1e-3, False), (x, w, b)
    )


def test_group_norm_differentiates_twice(mt):
    x, w, b = (mt.randn(*s, dtype=mt.double, requires_grad=True) for s in ((2, 4, 3), (4,), (4,)))
    assert mt.autograd.gradgradcheck(lambda x, w, b: mt.group_norm(x, 2, w, b), (x, w, b))


def test_running_statistics_are_written_without_a_version_though_the_schema_marks_them(mt):
    x = mt.randn(4, 2, 3, requires_grad=True)
    mean, var = mt.zeros(2), mt.ones(2)
    y = mt.ops.aten._native_batch_norm_legit(x, None, None, mean, var, True, 0.1, 1e-5)[0]
    assert mean._version == var._version == 0  # as in torch, there is no in-place and no out= form
    assert mean.ne(0).all()
    y.sum().backward()
    assert x.grad.shape == x.shape


REFUSALS = {
    "one running statistic": lambda t: t.batch_norm(
        t.zeros(2, 3), None, None, t.zeros(3), None, True, 0.1, 1e-5, False
    ),
    "no running statistics": lambda t: t.batch_norm(t.zeros(2, 3), None, None, None, None, False, 0.1, 1e-5, False),
    "a weight too short": lambda t: t.batch_norm(t.zeros(2, 3), t.ones(2), None, None, None, True, 0.1, 1e-5, False),
    "mixed dtypes": lambda t: t.batch_norm(t.zeros(2, 3).double(), t.ones(3), None, None, None, True, 0.1, 1e-5, False),
    "double parameters of half inputs": lambda t: t.batch_norm(
        t.zeros(2, 3).half(), t.ones(3).double(), None, None, None, True, 0.1, 1e-5, False
    ),
    "integers": lambda t: t.batch_norm(t.zeros(2, 3).int(), None, None, None, None, True, 0.1, 1e-5, False),
    "no elements": lambda t: t.native_batch_norm(t.zeros(0, 3), None, None, None, None, True, 0.1, 1e-5),
    "instance norm without statistics": lambda t: t.instance_norm(
        t.zeros(2, 3, 4), None, None, None, None, False, 0.1, 1e-5, False
    ),
    "no groups": lambda t: t.group_norm(t.zeros(2, 4), 0),
    "groups that do not divide": lambda t: t.group_norm(t.zeros(2, 4), 3),
    "a group norm's weight": lambda t: t.group_norm(t.zeros(2, 4), 2, t.ones(3)),
    "a group norm of integers": lambda t: t.group_norm(t.zeros(2, 4).int(), 2),
    "a group norm's sizes": lambda t: t.native_group_norm(t.zeros(2, 4, 3), None, None, 2, 4, 2, 2, 1e-5),
    "renorm of a vector": lambda t: t.renorm(t.zeros(3), 2, 0, 1),
    "renorm by no norm": lambda t: t.renorm(t.zeros(3, 3), 0, 0, 1),
    "renorm to less than nothing": lambda t: t.renorm(t.zeros(3, 3), 2, 0, -1),
    "renorm of integers": lambda t: t.renorm(t.zeros(3, 3).int(), 2, 0, 1),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_errors_match_torch(mt, oracle, name):
    assert outcome(REFUSALS[name], mt) == outcome(REFUSALS[name], oracle)


def test_evaluation_without_statistics_is_refused(mt):
    # Real torch dereferences a null pointer if evaluation gets no running statistics.
    with pytest.raises(RuntimeError, match="running_mean must be defined"):
        mt.native_batch_norm(mt.zeros(2, 3), None, None, None, None, False, 0.1, 1e-5)
