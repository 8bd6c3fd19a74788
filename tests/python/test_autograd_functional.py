"""autograd.functional, gradcheck, and calls around backward have torch's values and errors."""

import pytest
from outcomes import close, result


def _make_inputs(torch):
    x = torch.tensor([[0.1, -0.2, 0.3], [0.5, 0.7, -1.1]], dtype=torch.float64, requires_grad=True)
    y = torch.tensor([0.4, -0.6, 1.2], dtype=torch.float64, requires_grad=True)
    return x, y


def _sum_of_cubes(a):
    return (a**3).sum()


def _scale_columns(a, b):
    return (a * b).sum(0)


def _import_functional(torch):
    return torch.autograd.functional


CALLS = {
    "vjp": lambda t, x, y: _import_functional(t).vjp(_scale_columns, (x, y), t.ones(3, dtype=t.float64)),
    "vjp without v": lambda t, x, y: _import_functional(t).vjp(_sum_of_cubes, y),
    "vjp without v of several": lambda t, x, y: _import_functional(t).vjp(_scale_columns, (x, y)),
    "vjp with a wrong v": lambda t, x, y: _import_functional(t).vjp(_sum_of_cubes, y, t.ones(2)),
    "vjp strict": lambda t, x, y: _import_functional(t).vjp(lambda a: t.ones(()), y, strict=True),
    "vjp of a number": lambda t, x, y: _import_functional(t).vjp(lambda a: 3, y),
    "jvp": lambda t, x, y: _import_functional(t).jvp(_scale_columns, (x, y), (t.ones_like(x), t.ones_like(y))),
    "jvp with a wrong v": lambda t, x, y: _import_functional(t).jvp(_sum_of_cubes, y, t.ones(2)),
    "jvp without v": lambda t, x, y: _import_functional(t).jvp(_sum_of_cubes, y),
    "jacobian": lambda t, x, y: _import_functional(t).jacobian(_scale_columns, (x, y)),
    "jacobian of one": lambda t, x, y: _import_functional(t).jacobian(_sum_of_cubes, y),
    "jacobian vectorized": lambda t, x, y: _import_functional(t).jacobian(_sum_of_cubes, y, vectorize=True),
    "jacobian of nothing": lambda t, x, y: _import_functional(t).jacobian(lambda a: a[:0], y),
    "jacobian of nothing, strict": lambda t, x, y: _import_functional(t).jacobian(lambda a: a[:0], y, strict=True),
    "jacobian forward, strict": lambda t, x, y: _import_functional(t).jacobian(
        _sum_of_cubes, y, strict=True, strategy="forward-mode"
    ),
    "hessian forward over reverse": lambda t, x, y: _import_functional(t).hessian(
        _sum_of_cubes, y.detach(), vectorize=True, outer_jacobian_strategy="forward-mode"
    ),
    "hessian forward over reverse, by two": lambda t, x, y: _import_functional(t).hessian(
        lambda a, b: (a * b).sin().sum(), (x[0].detach(), y.detach()), vectorize=True,
        outer_jacobian_strategy="forward-mode",
    ),
    "jacobian forward": lambda t, x, y: _import_functional(t).jacobian(
        _sum_of_cubes, y, vectorize=True, strategy="forward-mode"
    ),
    "jacobian forward of two by two": lambda t, x, y: _import_functional(t).jacobian(
        lambda a, b: (a * b, a), (x, x), vectorize=True, strategy="forward-mode"
    ),
    "jacobian forward of a pair": lambda t, x, y: _import_functional(t).jacobian(
        lambda a: (a * a, a), x.detach(), vectorize=True, strategy="forward-mode"
    ),
    "jacobian forward of a list": lambda t, x, y: _import_functional(t).jacobian(
        lambda a: [a], x, vectorize=True, strategy="forward-mode"
    ),
    "gradient of a hessian, forward over reverse": lambda t, x, y: t.autograd.grad(
        _import_functional(t).hessian(_sum_of_cubes, y, vectorize=True, outer_jacobian_strategy="forward-mode").sum(), y
    ),
    "hessian of a square requires a gradient, too": lambda t, x, y: _import_functional(t).hessian(
        lambda a: (a * a).sum(), x.detach(), vectorize=True, outer_jacobian_strategy="forward-mode"
    ).requires_grad,
    "hessian forward, strict": lambda t, x, y: _import_functional(t).hessian(
        _sum_of_cubes, y, strict=True, vectorize=True, outer_jacobian_strategy="forward-mode"
    ),
    "jacobian strict": lambda t, x, y: _import_functional(t).jacobian(
        lambda a: a * 2, y, strict=True, create_graph=True
    ),
    "hessian": lambda t, x, y: _import_functional(t).hessian(lambda a, b: (a * b * b).sum(), (x, y)),
    "hessian of a vector": lambda t, x, y: _import_functional(t).hessian(lambda a: a, y),
    "hessian strict": lambda t, x, y: _import_functional(t).hessian(lambda a: a.sum(), y, strict=True),
    "vhp": lambda t, x, y: _import_functional(t).vhp(_sum_of_cubes, y, t.ones_like(y)),
    "vhp strict": lambda t, x, y: _import_functional(t).vhp(lambda a: a.sum(), y, t.ones_like(y), strict=True),
    "hvp": lambda t, x, y: _import_functional(t).hvp(
        lambda a, b: (a * b * b).sum(), (x, y), (t.ones_like(x), t.ones_like(y))
    ),
    "hvp of a vector": lambda t, x, y: _import_functional(t).hvp(lambda a: a, y, t.ones_like(y)),
    "grad of a matrix": lambda t, x, y: t.autograd.grad(x, x),
    "grad with a wrong shape": lambda t, x, y: t.autograd.grad(x.sum(), x, t.ones(2)),
    "grad for nothing": lambda t, x, y: t.autograd.grad([x.sum()], []),
    "grad unused": lambda t, x, y: t.autograd.grad(x.sum(), y, allow_unused=True),
    "grad materialized": lambda t, x, y: t.autograd.grad(x.sum(), y, materialize_grads=True),
    "grad materialized but not unused": lambda t, x, y: t.autograd.grad(
        x.sum(), y, materialize_grads=True, allow_unused=False
    ),
    "grad by dict": lambda t, x, y: t.autograd.grad(x.sum(), {"a": x}),
    "grad batched": lambda t, x, y: t.autograd.grad(x * x, x, t.ones(2, 2, 3, dtype=t.float64), is_grads_batched=True),
    "grad batched with a wrong shape": lambda t, x, y: t.autograd.grad(
        x * x, x, t.ones(2, 3, 3, dtype=t.float64), is_grads_batched=True
    ),
    "backward with text": lambda t, x, y: t.autograd.backward(x * 2, "a"),
    "backward into nothing": lambda t, x, y: t.autograd.backward(x.sum(), inputs=[]),
    "variable": lambda t, x, y: t.autograd.variable(3),
    "gradient edge of a constant": lambda t, x, y: t.autograd.graph.get_gradient_edge(t.ones(1)),
    "grad of an edge": lambda t, x, y: t.autograd.grad(t.autograd.graph.get_gradient_edge(x.sum()), x),
    "a compiled budget": lambda t, x, y: t.autograd.graph.region_activation_memory_budget(0.5),
}


@pytest.mark.parametrize("name", CALLS)
def test_values_and_errors_are_torchs(name, mt, oracle):
    def call_functional(torch):
        return CALLS[name](torch, *_make_inputs(torch))

    ours, theirs = result(call_functional, mt), result(call_functional, oracle)
    assert close(ours, theirs), (ours, theirs)


def _scale_with_wrong_backward(torch):
    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a):
            return a * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * 3

    return Wrong.apply


def test_gradcheck_passes_a_right_gradient_of_any_order(mt):
    x, y = _make_inputs(mt)
    assert mt.autograd.gradcheck(lambda a, b: (a * b).exp(), (x, y))
    assert mt.autograd.gradcheck(lambda a, b: (a * b).exp(), (x, y), fast_mode=True)
    assert mt.autograd.gradgradcheck(lambda a, b: (a * b).exp(), (x, y))


@pytest.mark.parametrize("fast_mode", [False, True])
def test_gradcheck_finds_a_wrong_gradient(fast_mode, mt):
    _, y = _make_inputs(mt)
    with pytest.raises(mt.autograd.gradcheck.__globals__["GradcheckError"], match="Jacobian mismatch for output 0"):
        mt.autograd.gradcheck(_scale_with_wrong_backward(mt), (y,), fast_mode=fast_mode)
    assert not mt.autograd.gradcheck(_scale_with_wrong_backward(mt), (y,), fast_mode=fast_mode, raise_exception=False)


def test_multi_grad_hook_runs_once_with_all_gradients(mt):
    x, y = _make_inputs(mt)
    seen = []
    handle = mt.autograd.graph.register_multi_grad_hook((x, y), lambda grads: seen.append(len(grads)))
    (x * y).sum().backward()
    handle.remove()
    (x * y).sum().backward()
    assert seen == [2]


def test_once_differentiable_results_refuse_a_second_derivative(mt):
    class Square(mt.autograd.Function):
        @staticmethod
        def forward(ctx, a):
            ctx.save_for_backward(a)
            return a * a

        @staticmethod
        @mt.autograd.function.once_differentiable
        def backward(ctx, grad):
            (a,) = ctx.saved_tensors
            return 2 * a * grad

    _, y = _make_inputs(mt)
    (first,) = mt.autograd.grad((Square.apply(y) ** 2).sum(), y, create_graph=True)
    with pytest.raises(RuntimeError, match="marked with @once_differentiable"):
        first.sum().backward()


def _make_module_and_input(torch):
    torch.manual_seed(0)
    return torch.nn.Linear(2, 1).double(), torch.ones(1, 2, dtype=torch.double, requires_grad=True)


MODULE_CHECKS = {
    "gradcheck": lambda t, m, x: t.autograd.gradcheck(lambda x, *p: m(x), (x, *m.parameters())),
    "fast": lambda t, m, x: t.autograd.gradcheck(lambda x, *p: m(x), (x, *m.parameters()), fast_mode=True),
    "gradgradcheck": lambda t, m, x: t.autograd.gradgradcheck(lambda x, *p: m(x).tanh(), (x, *m.parameters())),
    "a result": lambda t, m, x: t.autograd.gradcheck(lambda a, b: a * b, (x * 2, x + 1)),
    "a view": lambda t, m, x: t.autograd.gradcheck(lambda a: a.sin(), (x[:, 1:],)),
}


@pytest.mark.parametrize("name", MODULE_CHECKS)
def test_gradcheck_moves_its_inputs_in_place(name, mt, oracle):
    for torch in (mt, oracle):
        module, x = _make_module_and_input(torch)
        before = [value.tolist() for value in (x, *module.parameters())]
        assert MODULE_CHECKS[name](torch, module, x) is True
        assert [value.tolist() for value in (x, *module.parameters())] == before
