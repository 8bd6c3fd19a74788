"""Uses of grad_fn objects: calls, saved values, hooks; cycles in long graphs."""

import gc
import warnings
import weakref

import pytest
from beside import outcome

# `y` keeps its node alive: torch's SavedTensor does not.
NAMES = {"x": "torch.ones(1, requires_grad=True)", "y": "torch.ones(1, requires_grad=True).exp()"}


@pytest.mark.parametrize(
    "expression",
    [
        "(x * 2).exp().grad_fn(torch.ones(1))",
        "(x * 2).exp().grad_fn(None)",
        "(x * 2).grad_fn.next_functions[0][0](torch.ones(1))",
        "x.exp().grad_fn()",
        "x.exp().grad_fn(1)",
        "x.exp().grad_fn(x, x)",
        "x.exp().grad_fn(grad=x)",
        "y.grad_fn._raw_saved_result.data",
        "y.grad_fn._raw_saved_result.unpack_hook",
        "y.grad_fn._raw_saved_result.register_hooks(lambda t: t, lambda t: t)",
        "type(y.grad_fn._raw_saved_result)()",
        "x.exp().grad_fn._raw_saved_nothing",
        "sorted(n for n in dir(x.exp().grad_fn) if '_saved_' in n)",
        "[(m.shape, m.dtype, m.device, m.is_nested_tensor) for m in x.exp().grad_fn._input_metadata]",
        "x.exp().grad_fn._set_sequence_nr(7)",
    ],
)
def test_nodes_answer_as_in_torch(mt, oracle, expression):
    assert outcome(mt, expression, **NAMES) == outcome(oracle, expression, **NAMES)


def test_calling_a_leafs_node_accumulates(mt):
    x = mt.ones(1, requires_grad=True)
    assert x.exp().grad_fn.next_functions[0][0](mt.tensor([3.0])) == ()
    assert x.grad.tolist() == [3.0]


def test_hooks_on_one_saved_tensor_pack_and_unpack_it(mt):
    x = mt.ones(1, requires_grad=True)
    y = x.exp()
    saved = y.grad_fn._raw_saved_result
    saved.register_hooks(lambda t: ("packed", t), lambda pair: pair[1] * 0)
    assert saved.data[0] == "packed"
    assert y.grad_fn._saved_result.tolist() == [0.0]
    with pytest.raises(RuntimeError, match="whose hooks have already been set"):
        saved.register_hooks(lambda t: t, lambda t: t)
    y.backward()
    assert x.grad.tolist() == [0.0]
    assert saved.data is None


def test_a_function_shows_its_saved_tensors_raw(mt):
    class Double(mt.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x, None)
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * ctx.saved_tensors[0]

    x = mt.full((1,), 3.0, requires_grad=True)
    y = Double.apply(x)
    first, second = y.grad_fn._raw_saved_tensors
    assert first.data is x
    assert second.data is None
    first.register_hooks(lambda t: t.detach() + 1, lambda t: t)
    y.backward()
    assert x.grad.tolist() == [4.0]
    with pytest.raises(RuntimeError, match="second time"):
        y.grad_fn._raw_saved_tensors  # noqa: B018


def test_a_number_that_was_saved_outlives_the_freed_tensors(mt):
    x = mt.ones(3, requires_grad=True)
    y = x.cumsum(0).prod(0)
    y.backward()
    assert y.grad_fn._saved_dim == 0
    with pytest.raises(RuntimeError, match="second time"):
        y.grad_fn._saved_self  # noqa: B018


def test_a_cycle_through_a_hook_at_the_end_of_a_long_graph_is_collected(mt):
    class Holder:
        pass

    def make_cycle():
        holder = Holder()
        y = mt.ones(1, requires_grad=True) * 2
        y.register_hook(lambda grad, holder=holder: None)
        for _ in range(10_000):
            y = y + 1
        holder.y = y
        return weakref.ref(holder)

    reference = make_cycle()
    gc.collect()
    assert reference() is None


def test_a_number_of_a_tensor_that_requires_grad_warns_once(mt):
    x = mt.ones(1, requires_grad=True)
    float(x)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        float(x)
        complex(x)
        int(x)


def test_a_pass_that_stops_at_inputs_makes_checkpoints_invalid(mt):
    seen = []

    class Look(mt.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            seen.append(mt.autograd.Variable._execution_engine.is_checkpoint_valid())
            return grad

    x = mt.ones(1, requires_grad=True)
    Look.apply(x).backward()
    mt.autograd.grad(Look.apply(x), x)
    Look.apply(x).backward(inputs=[x])
    assert seen == [True, False, False]
    assert mt.autograd.Variable._execution_engine.is_checkpoint_valid()
