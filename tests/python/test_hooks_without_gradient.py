"""Hooks of outputs for which no gradient arrives: torch calls them with None."""

import pytest
from outcomes import outcome


def _make_output_of_function(torch, seen):
    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.set_materialize_grads(False)
            return x * 1, x * 2

        @staticmethod
        def backward(ctx, first, second):
            seen.append(("backward", second is None))
            return first

    return Twice.apply(torch.ones(1, requires_grad=True))


def _apply_without_gradient(torch, x):
    class Constant(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            return None

    return Constant.apply(x), x


def _make_output_of_function_without_gradient(torch, seen):
    return _apply_without_gradient(torch, torch.ones(1, requires_grad=True) * 2)


def _make_output_of_leaf_without_gradient(torch, seen):
    return _apply_without_gradient(torch, torch.ones(1, requires_grad=True))


PAIRS = {
    "custom function": _make_output_of_function,
    "function whose gradient is None": _make_output_of_function_without_gradient,
    "leaf whose gradient is None": _make_output_of_leaf_without_gradient,
    "unbind": lambda torch, seen: (torch.ones(2, requires_grad=True) * 1).unbind(0),
    "split": lambda torch, seen: (torch.ones(2, requires_grad=True) * 1).split(1),
    "svd": lambda torch, seen: torch.linalg.svd(torch.eye(2).mul(torch.ones(2, 2, requires_grad=True)))[1::-1],
    "var_mean": lambda torch, seen: torch.var_mean(torch.ones(3, requires_grad=True)),
    "frexp": lambda torch, seen: (torch.frexp(torch.ones(3, requires_grad=True))[0],) * 2,
}


def _run_backward_of_first_output(torch, name, hook):
    seen = []
    first, second = PAIRS[name](torch, seen)
    second.register_hook(hook(seen))
    first.sum().backward()
    return seen


@pytest.mark.parametrize("name", PAIRS)
def test_a_hook_of_an_output_without_gradient_gets_none(name, mt, oracle):
    def make_recording_hook(seen):
        return lambda grad: seen.append(None if grad is None else grad.tolist())

    assert outcome(lambda torch: _run_backward_of_first_output(torch, name, make_recording_hook), mt) == outcome(
        lambda torch: _run_backward_of_first_output(torch, name, make_recording_hook), oracle
    )


@pytest.mark.parametrize("name", ["custom function", "unbind", "leaf whose gradient is None"])
def test_a_hook_cannot_replace_none(name, mt, oracle):
    def run_with_replacing_hook(torch):
        return _run_backward_of_first_output(torch, name, lambda seen: lambda grad: torch.ones(1))

    assert outcome(run_with_replacing_hook, mt) == outcome(run_with_replacing_hook, oracle)


def test_retained_gradients_and_hooks_after_accumulation_ignore_none(mt, oracle):
    def run_with_retained_gradients(torch):
        first, second = (torch.ones(2, requires_grad=True) * 1).unbind(0)
        second.retain_grad()
        first.backward()
        leaf = torch.ones(1, requires_grad=True)
        seen = []
        leaf.register_post_accumulate_grad_hook(lambda t: seen.append("accumulated"))
        _make_output_of_leaf_without_gradient(torch, seen)[0].sum().backward()
        return second.grad, seen

    assert outcome(run_with_retained_gradients, mt) == outcome(run_with_retained_gradients, oracle)


SEVERAL = {
    "max": lambda torch, x: torch.max(x, 0)[0],
    "sort": lambda torch, x: torch.sort(x, 0)[0],
    "topk": lambda torch, x: torch.topk(x, 1)[0],
    "kthvalue": lambda torch, x: torch.kthvalue(x, 1)[0],
    "unbind": lambda torch, x: x.unbind(0)[1],
    "split": lambda torch, x: x.split(1)[1],
    "var_mean": lambda torch, x: torch.var_mean(x, 0)[1],
    "svd": lambda torch, x: torch.linalg.svd(x)[1],
    "qr": lambda torch, x: torch.linalg.qr(x)[1],
    "eigh": lambda torch, x: torch.linalg.eigh(x)[0],
    "slogdet": lambda torch, x: torch.linalg.slogdet(x)[1],
    "lu": lambda torch, x: torch.linalg.lu(x)[2],
    "lu_factor": lambda torch, x: torch.linalg.lu_factor(x)[0],
    "lu_unpack": lambda torch, x: torch.lu_unpack(x, torch.tensor([1, 2], dtype=torch.int32))[2],
    "inv_ex": lambda torch, x: torch.linalg.inv_ex(x)[0],
    "cholesky_ex": lambda torch, x: torch.linalg.cholesky_ex(x @ x.mT + torch.eye(2, dtype=x.dtype))[0],
    "native_layer_norm": lambda torch, x: torch.native_layer_norm(x, (2,), None, None, 1e-5)[0],
    "native_group_norm": lambda torch, x: torch.native_group_norm(x[None], None, None, 1, 2, 2, 1, 1e-5)[0],
    "native_batch_norm": lambda torch, x: torch.native_batch_norm(x, None, None, None, None, True, 0.1, 1e-5)[0],
    "embedding_bag": lambda torch, x: torch.embedding_bag(x, torch.tensor([0, 1]), torch.tensor([0]))[0],
    "max_pool2d": lambda torch, x: torch.nn.functional.max_pool2d(x[None], 1, return_indices=True)[0],
    "native_dropout": lambda torch, x: torch.native_dropout(x, 0.5, True)[0],
    "aminmax": lambda torch, x: torch.aminmax(x)[1],
    "cummax": lambda torch, x: torch.cummax(x, 0)[0],
    "frexp": lambda torch, x: torch.frexp(x)[0],
    "lstsq": lambda torch, x: torch.linalg.lstsq(x, x)[0],
    "mode": lambda torch, x: torch.mode(x, 0)[0],
}


@pytest.mark.parametrize("name", SEVERAL)
def test_a_node_has_an_input_for_each_differentiable_result(name, mt, oracle):
    def count_node_inputs(torch):
        seen = []
        result = SEVERAL[name](torch, torch.tensor([[2.0, 1.0], [1.0, 3.0]], requires_grad=True) * 1)
        result.grad_fn.register_prehook(lambda grads: seen.append([grad is None for grad in grads]))
        result.sum().backward()
        return seen, result.output_nr

    assert outcome(count_node_inputs, mt) == outcome(count_node_inputs, oracle)


def test_a_node_can_drop_the_gradient(mt, oracle):
    def drop_gradient(torch):
        leaf = torch.ones(2, requires_grad=True)
        dropped = torch._C._functions.UndefinedGrad()(leaf * 2)
        seen = []
        leaf.register_hook(lambda grad: seen.append(grad))
        dropped.sum().backward()
        return seen, leaf.grad, type(dropped.grad_fn).__name__

    assert outcome(drop_gradient, mt) == outcome(drop_gradient, oracle)
    for arguments in ((), (1, 2)):
        assert outcome(lambda torch, a=arguments: torch._C._functions.UndefinedGrad()(*a), mt) == outcome(
            lambda torch, a=arguments: torch._C._functions.UndefinedGrad()(*a), oracle
        )
    assert outcome(lambda torch: torch._C._functions.UndefinedGrad(3), mt) == outcome(
        lambda torch: torch._C._functions.UndefinedGrad(3), oracle
    )
