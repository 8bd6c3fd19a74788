"""Composites that run as one kernel if nothing observes their steps: same values, and observers see the steps."""

import numpy
import pytest
from outcomes import exact

DTYPES = ("float32", "float64", "float16", "bfloat16")


def make_values(torch, dtype, *shape):
    count = torch.Size(shape).numel()
    return ((torch.arange(count) * 37 % 101 - 50) / 32).reshape(shape).to(getattr(torch, dtype))


def assert_close_to(ours, theirs, near):
    numpy.testing.assert_allclose(ours.numpy(), theirs.numpy(), rtol=near, atol=near)


def rms_norm_in_steps(torch, x, weight):
    return torch.nn.functional.rms_norm(x, x.shape[-1:], weight)


@pytest.mark.parametrize("columns", [1, 7, 63, 64, 65, 768, 4096, 4099, 9000])
@pytest.mark.parametrize("rows", [1, 2, 37])
@pytest.mark.parametrize("dtype", DTYPES)
def test_rms_norm_is_bit_identical_to_its_steps(mt, oracle, dtype, rows, columns):
    x, weight = make_values(mt, dtype, rows, columns), make_values(mt, dtype, columns)
    for w in (weight, None):
        fused = mt.ops.aten._fused_rms_norm(x, [columns], w, 1e-5)
        steps = mt.ops.aten._fused_rms_norm(x.clone().requires_grad_(), [columns], w, 1e-5)
        assert [(exact(y), y.dtype, y.stride()) for y in fused] == [(exact(y), y.dtype, y.stride()) for y in steps]
    ours = rms_norm_in_steps(mt, x, weight).double()
    theirs = rms_norm_in_steps(
        oracle, make_values(oracle, dtype, rows, columns), make_values(oracle, dtype, columns)
    ).double()
    near = {"float16": 2e-3, "bfloat16": 2e-2}.get(dtype, 2e-6)
    assert_close_to(ours, theirs, near)


@pytest.mark.parametrize("sizes", [(0, 2, 5), (2, 4, 6)])
def test_rms_norm_of_empty_tensors_and_of_views_matches_torch(mt, oracle, sizes):
    def normalise_empty_and_views(torch):
        x = make_values(torch, "float32", *sizes)
        w = make_values(torch, "float32", sizes[-1] * 2)[::2]
        results = (
            rms_norm_in_steps(torch, x, w),
            rms_norm_in_steps(torch, x.transpose(0, 1), w),
            torch.rms_norm(x, sizes, None),
        )
        return [(tuple(y.shape), y.stride(), y.nan_to_num().flatten().tolist()) for y in results]

    for ours, theirs in zip(normalise_empty_and_views(mt), normalise_empty_and_views(oracle), strict=True):
        assert ours[:2] == theirs[:2]
        assert ours[2] == pytest.approx(theirs[2], rel=1e-6)


def test_results_belong_to_inference_mode(mt):
    x = make_values(mt, "float32", 4, 8)
    with mt.inference_mode():
        assert rms_norm_in_steps(mt, x, None).is_inference()
    assert not rms_norm_in_steps(mt, x, None).is_inference()


def cross_entropy_in_steps(torch, x, **options):
    return torch.nn.functional.cross_entropy(x, torch.arange(x.size(0)) * 5 % x.size(1), **options)


@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (37, 130), (700, 33), (5, 20000)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_cross_entropy_is_bit_identical_to_its_steps(mt, oracle, dtype, shape):
    near = {"float16": 2e-3, "bfloat16": 2e-2}.get(dtype, 2e-6)
    for options in ({}, {"reduction": "sum"}, {"reduction": "none"}, {"ignore_index": 0}):
        x = make_values(mt, dtype, *shape)
        ours = cross_entropy_in_steps(mt, x, **options)
        steps = cross_entropy_in_steps(mt, x.clone().requires_grad_(), **options).detach()
        assert (ours.dtype, ours.shape, exact(ours)) == (steps.dtype, steps.shape, exact(steps))
        theirs = cross_entropy_in_steps(oracle, make_values(oracle, dtype, *shape), **options)
        assert_close_to(ours.double(), theirs.double(), near)


@pytest.mark.parametrize("target", [[0, 5], [-1, 0], [0, -100], [0], [1, 2, 3]])
def test_cross_entropy_errors_match_torch(mt, oracle, target):
    def read_error(torch):
        try:
            return str(torch.nn.functional.cross_entropy(torch.zeros(2, 5), torch.tensor(target)).item())[:6]
        except Exception as error:
            return type(error).__name__, str(error)

    assert read_error(mt) == read_error(oracle)


CALLS = {
    "cross_entropy": (cross_entropy_in_steps, {"_log_softmax", "nll_loss_forward"}),
    "rms_norm": (lambda torch, x: rms_norm_in_steps(torch, x, x[0]), {"pow", "mean", "rsqrt", "mul"}),
}


@pytest.mark.parametrize("name", CALLS)
def test_modes_and_profilers_see_the_steps(mt, name):
    call, steps = CALLS[name]
    x = make_values(mt, "float32", 4, 8)
    seen = set()

    class Watch(mt.utils._python_dispatch.TorchDispatchMode):
        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            seen.add(function._schema.name.removeprefix("aten::"))
            return function(*args, **(kwargs or {}))

    with Watch():
        call(mt, x)
    with mt.profiler.profile() as profile:
        call(mt, x)
    assert steps <= seen
    assert steps <= {event.name.removeprefix("aten::") for event in profile.events()}


@pytest.mark.parametrize("name", CALLS)
def test_transforms_see_the_steps(mt, name):
    call, _ = CALLS[name]
    x = make_values(mt, "float32", 3, 4, 8)
    mapped = mt.func.vmap(lambda row: call(mt, row))(x)
    assert mapped.flatten().tolist() == pytest.approx(
        mt.stack([call(mt, row) for row in x]).flatten().tolist(), rel=1e-6
    )
    value, tangent = mt.func.jvp(lambda row: call(mt, row), (x[0],), (x[1],))
    assert value.flatten().tolist() == pytest.approx(call(mt, x[0]).flatten().tolist(), rel=1e-6)
    assert tangent.abs().sum() > 0


@pytest.mark.parametrize("name", CALLS)
def test_a_step_that_was_replaced_is_called(mt, name):
    call, steps = CALLS[name]
    x, calls = make_values(mt, "float32", 4, 8), []
    before = call(mt, x)
    library = mt.library.Library("aten", "IMPL")
    step = {"mul": "mul.Tensor"}.get(min(steps), min(steps))

    def record_call_and_return_zeros(*args):
        calls.append(step)
        return mt.zeros(args[0].shape)

    overload = {"mean": "mean.dim"}.get(step, step)
    library.impl(overload, record_call_and_return_zeros, "CPU")
    try:
        call(mt, x)
    finally:
        library._destroy()
    assert calls == [step]
    assert call(mt, x).tolist() == before.tolist()
