"""Longer autograd scenarios: hooks, the engine, custom functions and threads behave as in real torch."""

import threading

import pytest
from gradients import assert_same_as_oracle, make_leaf


def _record_hook_order(torch):
    x = make_leaf(torch, 2)
    order = []
    y = x * 2
    x.register_hook(lambda g: order.append("leaf"))
    x.register_post_accumulate_grad_hook(lambda p: order.append(("accumulated", p is x)))
    y.retain_grad()
    y.register_hook(lambda g: order.append("tensor"))
    y.grad_fn.register_prehook(lambda g: order.append("pre"))
    y.grad_fn.register_hook(lambda i, o: order.append(("post", len(i), len(o))))
    (y * 3).sum().backward()
    return order, x.grad, y.grad


def _replace_gradients_in_hooks(torch):
    x = make_leaf(torch, 2)
    handle = x.register_hook(lambda g: g * 10)
    (x * 2).sum().backward()
    handle.remove()
    (x * 2).sum().backward()
    y = x * 2
    y.grad_fn.register_hook(lambda i, o: (i[0] * 7, None))
    y.sum().backward()
    return x.grad


def _run_backward_within_backward(torch):
    x = make_leaf(torch, 2)

    class Inner(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a):
            ctx.save_for_backward(a)
            return a * 2

        @staticmethod
        def backward(ctx, g):
            with torch.enable_grad():
                inner = ctx.saved_tensors[0].detach().requires_grad_()
                (inner**3).sum().backward()
            return g * inner.grad

    Inner.apply(x).sum().backward()
    return x.grad


def _nest_backward_deeply(torch):
    depth = []

    class Nested(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a, level):
            ctx.level = level
            return a.clone()

        @staticmethod
        def backward(ctx, g):
            if ctx.level < 150:
                with torch.enable_grad():
                    inner = torch.ones(1, requires_grad=True)
                    Nested.apply(inner, ctx.level + 1).sum().backward()
            depth.append(ctx.level)
            return g, None

    Nested.apply(torch.ones(1, requires_grad=True), 0).sum().backward()
    return len(depth), depth[0]


def _differentiate_higher_orders(torch):
    x = make_leaf(torch, 3)
    y = (x**4).sum()
    results = []
    for _ in range(4):
        (g,) = torch.autograd.grad(y, x, create_graph=True)
        results.append(g.detach())
        y = g.sum()
    return results


def _use_saved_tensor_hooks(torch):
    x = make_leaf(torch, 3)
    packed = []

    def record_shape_and_double(t):
        packed.append(tuple(t.shape))
        return (t * 2).detach()

    with torch.autograd.graph.saved_tensors_hooks(record_shape_and_double, lambda t: t):
        y = x.exp() * x
    y.sum().backward()
    return packed, x.grad


def _list_tensors_seen_by_saved_tensor_hooks(torch):
    x, number = make_leaf(torch, 2), torch.tensor(2.0)
    calls = {
        "mul": lambda: x * 2,
        "rdiv": lambda: 2 / x,
        "pow": lambda: 2**x,
        "where": lambda: torch.where(x > 0, x, 0),
        "atan2": lambda: torch.atan2(x, number),
        "maximum": lambda: torch.maximum(x, number),
        "addcmul": lambda: torch.addcmul(x, x, number),
        "lerp": lambda: torch.lerp(x, number, x * number),
        "linear": lambda: torch.nn.functional.linear(x, torch.ones(3, 2, requires_grad=True), torch.ones(3)),
        "layer norm": lambda: torch.nn.functional.layer_norm(x, (2,), torch.ones(2), None),
    }
    found = {}
    for name, call in calls.items():
        packed = found[name] = []
        with torch.autograd.graph.saved_tensors_hooks(lambda t, p=packed: p.append(t.tolist()) or t, lambda t: t):
            call()
    return found


def _return_other_values_than_tensors(torch):
    class Pair(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1, "text", x * 2, None

        @staticmethod
        def backward(ctx, *grads):
            seen.append(grads)
            return grads[0] + 3 * grads[2]

    seen, x = [], make_leaf(torch, 2)
    first, text, second, nothing = Pair.apply(x)
    first.grad_fn.register_prehook(lambda grads: seen.append(("pre", grads)))
    first.grad_fn.register_hook(lambda inputs, outputs: seen.append(("post", inputs, outputs)))
    first.sum().backward(retain_graph=True)
    second.sum().backward()
    return (
        seen,
        x.grad,
        text,
        nothing,
        first.output_nr,
        second.output_nr,
        torch.autograd.grad(*_double_output_in_place(torch, Pair)),
    )


def _double_output_in_place(torch, function):
    x = make_leaf(torch, 2)
    first, _, second, _ = function.apply(x)
    return (first * second).sum(), x


def _read_saved_attributes(torch):
    x, y = make_leaf(torch, 2, 3), make_leaf(torch, 2, 3)
    product, total = x * y, x.sum(1, keepdim=True)
    return (
        product.grad_fn._saved_self is x,
        product.grad_fn._saved_other is y,
        total.grad_fn._saved_dim,
        total.grad_fn._saved_keepdim,
        x.exp().grad_fn._saved_result.requires_grad,
    )


def _checkpoint_region(torch):
    from importlib import import_module

    checkpoint = import_module(torch.__name__ + ".utils.checkpoint").checkpoint
    results = []
    for reentrant in (True, False):
        x = make_leaf(torch, 3)
        y = checkpoint(lambda a: (a.exp() * a).tanh(), x, use_reentrant=reentrant)
        y.sum().backward()
        results.append(x.grad)
    return results


def _run_deep_graph(torch):
    x = torch.ones(1, requires_grad=True)
    y = x
    for _ in range(100_000):
        y = -y
    y.backward()
    del y
    return x.grad


def _run_backward_on_threads(torch):
    x = torch.ones(3, requires_grad=True)

    def run_backward_repeatedly():
        for _ in range(20):
            (x * 2).sum().backward()

    threads = [threading.Thread(target=run_backward_repeatedly) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return x.grad


def _return_wrong_gradient(torch, give):
    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a, b):
            return a + b

        @staticmethod
        def backward(ctx, g):
            return give(g)

    x, y = make_leaf(torch, 2, 3), make_leaf(torch, 2, 3)
    Wrong.apply(x, y).sum().backward()
    return x.grad, y.grad


def _write_custom_views(torch):
    class Same(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a):
            return a

        @staticmethod
        def backward(ctx, g):
            return g * 3

    class Dirty(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a):
            a.mul_(2)
            ctx.mark_dirty(a)
            return a

        @staticmethod
        def backward(ctx, g):
            return g * 2

    x = make_leaf(torch, 2, 3)
    b = x * 1
    same = Same.apply(b)
    constant = torch.ones(2)
    c = x * 1
    dirty = Dirty.apply(c)
    d = x * 1
    part = Dirty.apply(d[0])
    dirty.sum().backward()
    return (
        same is b,
        same._is_view(),
        same._base is b,
        Same.apply(constant) is constant,
        dirty is c,
        type(c.grad_fn).__name__,
        type(part.grad_fn).__name__,
        type(d.grad_fn).__name__,
        x.grad,
    )


def _write_into_custom_view(torch):
    class Same(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a):
            return a

        @staticmethod
        def backward(ctx, g):
            return g

    Same.apply(make_leaf(torch, 2) * 1).add_(1)


def _use_functions_of_several_outputs(torch):
    seen = []

    class Several(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a):
            plain, constant = a * 2, a * 3
            ctx.mark_non_differentiable(constant)
            return plain, constant, a > 0

        @staticmethod
        def backward(ctx, g, h, k):
            seen.extend([h, k])
            return g * 2

    x = make_leaf(torch, 3)
    outputs = Several.apply(x)
    outputs[0].sum().backward()
    return [(o.requires_grad, o.output_nr, o.is_leaf) for o in outputs], seen, x.grad


def _run_forward_within_backward(torch):
    x = make_leaf(torch, 2)
    y = x * 2
    seen = []

    def read_value(g):
        seen.append(torch._C._current_graph_task_id() >= 0)
        seen.append(torch._C._will_engine_execute_node(y.grad_fn))
        seen.append(type(torch._C._current_autograd_node()).__name__)
        torch.autograd.Variable._execution_engine.queue_callback(lambda: seen.append("end"))

    y.register_hook(read_value)
    y.sum().backward()
    return seen, torch._C._current_graph_task_id()


def _track_versions(torch):
    a = torch.zeros(2, 3)
    b, c, d = a[0], a.detach(), a.data
    b.add_(1)
    c.mul_(2)
    d.add_(1)
    out = torch.empty(2)
    torch.add(torch.ones(2), 1, out=out)
    return [t._version for t in (a, b, c, d, out)], b._base is a, c._is_view(), a


def _use_leaf_that_requires_grad_late(torch):
    a = torch.zeros(3)
    view = a[1:]
    before = view.requires_grad, view.is_leaf
    a.requires_grad_()
    return before, view.requires_grad, view.is_leaf, view.grad_fn


def _detect_nan(torch):
    x = torch.zeros(2, requires_grad=True)
    with torch.autograd.set_detect_anomaly(True):
        (x.sqrt() * 0).sum().backward()


def _mix_dtypes(torch):
    x = make_leaf(torch, 2)
    y = x.double() * torch.ones(2, dtype=torch.complex128)
    y.real.sum().backward()
    return x.grad


def _backward_to_given_inputs(torch):
    x, y = make_leaf(torch, 2), make_leaf(torch, 2)
    z = x * y
    (z * z).sum().backward(inputs=[x, z])
    return x.grad, y.grad, z.grad


SITUATIONS = {
    "hook order": _record_hook_order,
    "hooks replace": _replace_gradients_in_hooks,
    "reentrant": _run_backward_within_backward,
    "very deep reentry": _nest_backward_deeply,
    "higher orders": _differentiate_higher_orders,
    "saved hooks": _use_saved_tensor_hooks,
    "packed tensors": _list_tensors_seen_by_saved_tensor_hooks,
    "outputs that are no tensors": _return_other_values_than_tensors,
    "saved attributes": _read_saved_attributes,
    "checkpoint": _checkpoint_region,
    "100,000 nodes": _run_deep_graph,
    "threads": _run_backward_on_threads,
    "gradient of a wrong shape": lambda t: _return_wrong_gradient(t, lambda g: (g[0], g)),
    "gradient to be summed": lambda t: _return_wrong_gradient(t, lambda g: (g.expand(4, 2, 3), g)),
    "gradient of another dtype": lambda t: _return_wrong_gradient(t, lambda g: (g.double(), g)),
    "complex gradient": lambda t: _return_wrong_gradient(t, lambda g: (g.to(t.complex64), g)),
    "integer gradient": lambda t: _return_wrong_gradient(t, lambda g: (t.ones(2, 3, dtype=t.int64), g)),
    "too few gradients": lambda t: _return_wrong_gradient(t, lambda g: g),
    "too many gradients": lambda t: _return_wrong_gradient(t, lambda g: (g, g, g)),
    "not a gradient": lambda t: _return_wrong_gradient(t, lambda g: (g, 3)),
    "meta gradient": lambda t: _return_wrong_gradient(t, lambda g: (t.empty(2, 3, device="meta"), g)),
    "custom views": _write_custom_views,
    "written custom view": _write_into_custom_view,
    "outputs": _use_functions_of_several_outputs,
    "during a pass": _run_forward_within_backward,
    "versions": _track_versions,
    "late leaf": _use_leaf_that_requires_grad_late,
    "anomaly": _detect_nan,
    "dtypes": _mix_dtypes,
    "backward inputs": _backward_to_given_inputs,
}


@pytest.mark.parametrize("name", SITUATIONS)
def test_situations_end_as_in_torch(name, mt, oracle):
    assert_same_as_oracle(SITUATIONS[name], mt, oracle)
