"""Checkpointed regions give the same gradients as plain ones, dropout included, and stop early."""

import functools
import importlib
import warnings

import pytest


def _make_region(mt, calls):
    def region(x):
        calls.append(mt.is_grad_enabled())
        return mt.dropout(x.sin(), 0.5, True).exp()

    return region


@pytest.mark.parametrize("use_reentrant", [True, False])
def test_gradients_are_those_of_the_plain_region(use_reentrant, mt):
    x = mt.linspace(-1, 1, 12).view(3, 4).requires_grad_()
    calls = []
    mt.manual_seed(3)
    mt.utils.checkpoint.checkpoint(_make_region(mt, calls), x, use_reentrant=use_reentrant).sum().backward()
    found, x.grad = x.grad, None
    assert len(calls) == 2
    mt.manual_seed(3)
    _make_region(mt, [])(x).sum().backward()
    assert mt.equal(found, x.grad)


def test_recomputation_stops_once_all_is_there(mt):
    x = mt.ones(3, requires_grad=True)
    reached = []

    def run_region(value):
        value = value.sin().exp()
        reached.append("end")
        return value

    mt.utils.checkpoint.checkpoint(run_region, x, use_reentrant=False).sum().backward()
    assert reached == ["end"]
    with mt.utils.checkpoint.set_checkpoint_early_stop(False):
        mt.utils.checkpoint.checkpoint(run_region, x, use_reentrant=False).sum().backward()
    assert reached == ["end"] * 3


def test_a_checkpoint_may_hold_another(mt):
    checkpoint = mt.utils.checkpoint.checkpoint
    x = mt.linspace(0, 1, 5).requires_grad_()

    def run_inner_region(value):
        return value.sin() * value

    def run_outer_region(value):
        return checkpoint(run_inner_region, value.exp(), use_reentrant=False).cos()

    checkpoint(run_outer_region, x, use_reentrant=False).sum().backward()
    found, x.grad = x.grad, None
    run_outer_region(x).sum().backward()
    assert mt.allclose(found, x.grad)


def test_a_region_that_saves_otherwise_the_second_time_is_an_error(mt):
    x = mt.ones(3, requires_grad=True)
    times = []

    def run_changing_region(value):
        times.append(1)
        return value.sin().exp() if len(times) == 1 else value.sin()

    result = mt.utils.checkpoint.checkpoint(run_changing_region, x, use_reentrant=False)
    with pytest.raises(mt.utils.checkpoint.CheckpointError, match="A different number of tensors was saved"):
        result.sum().backward()


def test_reentrant_refuses_grad(mt):
    x = mt.ones(3, requires_grad=True)
    result = mt.utils.checkpoint.checkpoint(lambda v: v * v, x, use_reentrant=True)
    with pytest.raises(RuntimeError, match="When use_reentrant=True, torch.utils.checkpoint is incompatible with"):
        mt.autograd.grad(result.sum(), x)


def test_sequential_checkpoints_all_but_the_last_segment(mt):
    layers = mt.nn.Sequential(*(mt.nn.Linear(3, 3) for _ in range(5)))
    x = mt.ones(2, 3, requires_grad=True)
    found = mt.utils.checkpoint.checkpoint_sequential(layers, 2, x, use_reentrant=False)
    assert mt.equal(found, layers(x))
    found.sum().backward()
    assert all(layer.weight.grad is not None for layer in layers)


def test_saying_nothing_about_reentrance_warns(mt):
    x = mt.ones(3, requires_grad=True)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        mt.utils.checkpoint.checkpoint(lambda v: v * v, x)
    assert "the use_reentrant parameter should be passed explicitly" in str(caught[0].message)


def test_selective_checkpoints_pass_over_operators_that_a_program_adds(mt, oracle):
    asked = {}
    for torch in (mt, oracle):
        module = importlib.import_module(f"{torch.__name__}.utils.checkpoint")
        names = asked[torch] = []

        def choose_recomputation(ctx, func, *args, module=module, names=names, **kwargs):
            names.append(str(func))
            return module.CheckpointPolicy.MUST_SAVE

        x = torch.ones(3, requires_grad=True)
        contexts = functools.partial(module.create_selective_checkpoint_contexts, choose_recomputation)
        module.SAC_IGNORED_OPS.add(torch.ops.aten.sin.default)
        try:
            module.checkpoint(lambda x: x.sin().cos(), x, use_reentrant=False, context_fn=contexts).sum().backward()
        finally:
            module.SAC_IGNORED_OPS.discard(torch.ops.aten.sin.default)
    assert asked[mt] == asked[oracle]
    assert "aten.cos.default" in asked[mt] and "aten.sin.default" not in asked[mt]


def test_debug_explains_a_recomputation_that_differs(mt):
    calls = []

    def run_differing_region(x):
        calls.append(x)
        return x.sin().exp() if len(calls) == 1 else x.sin() * mt.tensor([1.0, 2.0])

    out = mt.utils.checkpoint.checkpoint(
        run_differing_region, mt.ones(1, requires_grad=True), use_reentrant=False, debug=True
    )
    with pytest.raises(RuntimeError) as raised:
        out.sum().backward()
    assert "You are seeing this error because you passed `debug=True` to checkpoint" in str(raised.value)
    assert "aten.exp.default" in str(raised.value)
