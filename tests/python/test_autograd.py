"""Autograd: graphs, in-place rules, hooks, engine and custom functions do what real torch does, texts included."""

import gc
import re
import threading
import weakref

import pytest
from outcomes import outcome


def _leaf(torch, *sizes):
    count = 1
    for size in sizes:
        count *= size
    return (torch.arange(count, dtype=torch.float32).view(*sizes) / 5 - 0.7).requires_grad_()


def _names(torch, node, depth=4):
    """The graph as nested lists of (name, input number)."""
    if node is None:
        return None
    nexts = [(_names(torch, n, depth - 1), nr) for n, nr in node.next_functions] if depth else []
    return (type(node).__name__, nexts)


def _parts(torch):
    x = _leaf(torch, 2, 3)
    return x, x * 1


def _no_grad(torch, make):
    with torch.no_grad():
        return make()


def _inference(torch, make):
    with torch.inference_mode():
        return make()


def _backward(torch, tensor, *leaves):
    """Gradients of a sum with a weight for each element, so that none vanish by symmetry."""
    weights = (torch.arange(tensor.numel()) * 7 % 5 + 1).to(tensor.dtype).reshape(tensor.shape)
    (tensor * weights).sum().backward()
    return [leaf.grad for leaf in leaves]


GRAPHS = {
    "add": lambda t, x, y: x + y,
    "add number": lambda t, x, y: x + 1,
    "sub reversed": lambda t, x, y: 1 - x,
    "mul": lambda t, x, y: x * y,
    "mul constant": lambda t, x, y: x * t.ones(2, 3),
    "div": lambda t, x, y: x / y,
    "div number": lambda t, x, y: x / 2,
    "pow": lambda t, x, y: x**2,
    "pow tensors": lambda t, x, y: x**y,
    "number pow": lambda t, x, y: 2**x,
    "neg": lambda t, x, y: -x,
    "sum": lambda t, x, y: x.sum(),
    "sum dim": lambda t, x, y: x.sum(1),
    "mean": lambda t, x, y: x.mean(),
    "mean dim": lambda t, x, y: x.mean(0),
    "max": lambda t, x, y: x.max(),
    "max dim": lambda t, x, y: x.max(0)[0],
    "var": lambda t, x, y: x.var(),
    "view": lambda t, x, y: x.view(3, 2),
    "reshape": lambda t, x, y: x.t().reshape(-1),
    "transpose": lambda t, x, y: x.transpose(0, 1),
    "t": lambda t, x, y: x.t(),
    "permute": lambda t, x, y: x.permute(1, 0),
    "expand": lambda t, x, y: x.expand(4, 2, 3),
    "select": lambda t, x, y: x[0],
    "slice": lambda t, x, y: x[:, 1:],
    "index": lambda t, x, y: x[t.tensor([0, 0])],
    "unbind": lambda t, x, y: x.unbind()[1],
    "split": lambda t, x, y: x.split(1)[1],
    "chunk": lambda t, x, y: x.chunk(3, 1)[2],
    "cat": lambda t, x, y: t.cat([x, t.ones(1, 3), y]),
    "stack": lambda t, x, y: t.stack([x, y]),
    "where": lambda t, x, y: t.where(x > 0, x, y),
    "clamp": lambda t, x, y: x.clamp(0, 1),
    "exp": lambda t, x, y: x.exp(),
    "tanh": lambda t, x, y: x.tanh(),
    "relu": lambda t, x, y: x.relu(),
    "softmax": lambda t, x, y: t.softmax(x, 1),
    "mm": lambda t, x, y: x @ y.t(),
    "to double": lambda t, x, y: x.double(),
    "linear": lambda t, x, y: t.nn.functional.linear(x, y),
    "linear bias": lambda t, x, y: t.nn.functional.linear(x, y, t.ones(2)),
    "linear 3-d": lambda t, x, y: t.nn.functional.linear(x[None], y, t.ones(2)),
    "layer norm": lambda t, x, y: t.nn.functional.layer_norm(x, [3]),
    "cross entropy": lambda t, x, y: t.nn.functional.cross_entropy(x, t.tensor([0, 2])),
    "in place": lambda t, x, y: (x * 1).mul_(y),
    "in place on a view": lambda t, x, y: (b := x * 1, b[0].mul_(2), b)[2],
    "view of a written base": lambda t, x, y: (b := x * 1, v := b.view(6), b[0].mul_(2), v)[3],
    "gradient into a constant": lambda t, x, y: (b := t.zeros(3, 3), b[0].copy_(x[0]), b)[2],
    "zero_": lambda t, x, y: (x * 1).zero_(),
    "fill_": lambda t, x, y: (x * 1).fill_(y[0, 0]),
    "detach": lambda t, x, y: x.detach(),
    "floor": lambda t, x, y: x.floor(),
    "comparison": lambda t, x, y: x > y,
    "argmax": lambda t, x, y: x.argmax(),
}


@pytest.mark.parametrize("name", GRAPHS)
def test_graphs_and_gradients_are_torchs(name, mt, oracle):
    def run(torch):
        x, y = _leaf(torch, 2, 3), _leaf(torch, 2, 3)
        result = GRAPHS[name](torch, x, y)
        graph = _names(torch, result.grad_fn)
        gradients = _backward(torch, result, x, y) if result.requires_grad else None
        return graph, gradients, result.detach()

    _compare(run, mt, oracle)


REFUSALS = {
    "leaf": lambda t, x, b: x.add_(1),
    "view of a leaf": lambda t, x, b: x[0].add_(1),
    "unbind": lambda t, x, b: b.unbind()[0].add_(1),
    "split": lambda t, x, b: b.split(1)[0].add_(1),
    "view of unbind": lambda t, x, b: b.unbind()[0][:1].add_(1),
    "no_grad view": lambda t, x, b: _no_grad(t, lambda: b[0]).add_(1),
    "view of a no_grad view": lambda t, x, b: _no_grad(t, lambda: b[0])[:1].add_(1),
    "no_grad view, base written": lambda t, x, b: (w := _no_grad(t, lambda: b[0]), b.add_(1), w.grad_fn),
    "unbind, base written": lambda t, x, b: (v := b.unbind()[0], b.add_(1), v.grad_fn),
    "unbind of a constant": lambda t, x, b: t.zeros(2, 3).unbind()[0].add_(x[0]),
    "inference tensor written": lambda t, x, b: _inference(t, lambda: t.ones(2)).add_(1),
    "inference tensor saved": lambda t, x, b: _inference(t, lambda: t.ones(3)) * x,
    "inference view of a normal tensor": lambda t, x, b: (c := t.ones(2, 3), _inference(t, lambda: c[0]).add_(x[0])),
    "out": lambda t, x, b: t.add(x, x, out=t.empty(2, 3)),
    "out that requires grad": lambda t, x, b: t.add(t.ones(2), 1, out=t.empty(2, requires_grad=True)),
    "saved tensor written": lambda t, x, b: (e := b.exp(), e.add_(1), e.sum().backward()),
    "argument written": lambda t, x, b: (p := b * b, b.add_(1), p.sum().backward()),
    "twice": lambda t, x, b: (e := b.exp().sum(), e.backward(), e.backward()),
    "no requirement": lambda t, x, b: t.ones(1).backward(),
    "not a scalar": lambda t, x, b: b.backward(),
    "wrong shape": lambda t, x, b: b.backward(t.ones(4)),
    "unused": lambda t, x, b: t.autograd.grad(b.sum(), t.ones(1, requires_grad=True)),
    "input without requirement": lambda t, x, b: t.autograd.grad(b.sum(), t.ones(1)),
    "switch off a result": lambda t, x, b: b.requires_grad_(False),
    "set on a result": lambda t, x, b: setattr(b, "requires_grad", True),
    "integers": lambda t, x, b: t.ones(2, dtype=t.int64).requires_grad_(),
    "detach_ a view": lambda t, x, b: b[0].detach_(),
    "retain without requirement": lambda t, x, b: t.ones(1).retain_grad(),
    "hook without requirement": lambda t, x, b: t.ones(1).register_hook(lambda g: g),
    "accumulate hook on a result": lambda t, x, b: b.register_post_accumulate_grad_hook(lambda p: None),
    "gradient of a wrong size": lambda t, x, b: setattr(x, "grad", t.ones(1)),
    "complex root": lambda t, x, b: t.ones(1, dtype=t.complex64, requires_grad=True).sum().backward(),
    "callback outside": lambda t, x, b: t.autograd.Variable._execution_engine.queue_callback(lambda: None),
    "hook changes the size": lambda t, x, b: (b.register_hook(lambda g: t.ones(5)), b.sum().backward()),
    "hook changes the dtype": lambda t, x, b: (b.register_hook(lambda g: g.double()), b.sum().backward()),
    "hook gives a number": lambda t, x, b: (b.register_hook(lambda g: 5), b.sum().backward()),
    "node hook gives too few": lambda t, x, b: (b.grad_fn.register_hook(lambda i, o: ()), b.sum().backward()),
    "weight of nll_loss": lambda t, x, b: t.nn.functional.nll_loss(
        x, t.tensor([1, 2]), weight=t.ones(3, requires_grad=True)
    ),
    "saved hooks disabled": lambda t, x, b: _push_disabled(t),
}


def _push_disabled(torch):
    with torch.autograd.graph.disable_saved_tensors_hooks("not here"):
        with torch.autograd.graph.saved_tensors_hooks(lambda x: x, lambda x: x):
            pass


@pytest.mark.parametrize("name", REFUSALS)
def test_refusals_are_torchs(name, mt, oracle):
    _compare(lambda torch: str(REFUSALS[name](torch, *_parts(torch))) and None, mt, oracle)


def _hook_order(torch):
    x = _leaf(torch, 2)
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


def _replaced_gradients(torch):
    x = _leaf(torch, 2)
    handle = x.register_hook(lambda g: g * 10)
    (x * 2).sum().backward()
    handle.remove()
    (x * 2).sum().backward()
    y = x * 2
    y.grad_fn.register_hook(lambda i, o: (i[0] * 7, None))
    y.sum().backward()
    return x.grad


def _reentrant(torch):
    x = _leaf(torch, 2)

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


def _very_deep_reentry(torch):
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


def _higher_orders(torch):
    x = _leaf(torch, 3)
    y = (x**4).sum()
    results = []
    for _ in range(4):
        (g,) = torch.autograd.grad(y, x, create_graph=True)
        results.append(g.detach())
        y = g.sum()
    return results


def _saved_hooks(torch):
    x = _leaf(torch, 3)
    packed = []

    def pack(t):
        packed.append(tuple(t.shape))
        return (t * 2).detach()

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        y = x.exp() * x
    y.sum().backward()
    return packed, x.grad


def _saved_attributes(torch):
    x, y = _leaf(torch, 2, 3), _leaf(torch, 2, 3)
    product, total = x * y, x.sum(1, keepdim=True)
    return (
        product.grad_fn._saved_self is x,
        product.grad_fn._saved_other is y,
        total.grad_fn._saved_dim,
        total.grad_fn._saved_keepdim,
        x.exp().grad_fn._saved_result.requires_grad,
    )


def _checkpoint(torch):
    from importlib import import_module

    checkpoint = import_module(torch.__name__ + ".utils.checkpoint").checkpoint
    results = []
    for reentrant in (True, False):
        x = _leaf(torch, 3)
        y = checkpoint(lambda a: (a.exp() * a).tanh(), x, use_reentrant=reentrant)
        y.sum().backward()
        results.append(x.grad)
    return results


def _deep(torch):
    x = torch.ones(1, requires_grad=True)
    y = x
    for _ in range(100_000):
        y = -y
    y.backward()
    del y
    return x.grad


def _threads(torch):
    x = torch.ones(3, requires_grad=True)

    def work():
        for _ in range(20):
            (x * 2).sum().backward()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return x.grad


def _wrong_gradient(torch, give):
    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a, b):
            return a + b

        @staticmethod
        def backward(ctx, g):
            return give(g)

    x, y = _leaf(torch, 2, 3), _leaf(torch, 2, 3)
    Wrong.apply(x, y).sum().backward()
    return x.grad, y.grad


def _custom_views(torch):
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

    x = _leaf(torch, 2, 3)
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


def _written_custom_view(torch):
    class Same(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a):
            return a

        @staticmethod
        def backward(ctx, g):
            return g

    Same.apply(_leaf(torch, 2) * 1).add_(1)


def _outputs(torch):
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

    x = _leaf(torch, 3)
    outputs = Several.apply(x)
    outputs[0].sum().backward()
    return [(o.requires_grad, o.output_nr, o.is_leaf) for o in outputs], seen, x.grad


def _during_a_pass(torch):
    x = _leaf(torch, 2)
    y = x * 2
    seen = []

    def look(g):
        seen.append(torch._C._current_graph_task_id() >= 0)
        seen.append(torch._C._will_engine_execute_node(y.grad_fn))
        seen.append(type(torch._C._current_autograd_node()).__name__)
        torch.autograd.Variable._execution_engine.queue_callback(lambda: seen.append("end"))

    y.register_hook(look)
    y.sum().backward()
    return seen, torch._C._current_graph_task_id()


def _versions(torch):
    a = torch.zeros(2, 3)
    b, c, d = a[0], a.detach(), a.data
    b.add_(1)
    c.mul_(2)
    d.add_(1)
    out = torch.empty(2)
    torch.add(torch.ones(2), 1, out=out)
    return [t._version for t in (a, b, c, d, out)], b._base is a, c._is_view(), a


def _late_leaf(torch):
    a = torch.zeros(3)
    view = a[1:]
    before = view.requires_grad, view.is_leaf
    a.requires_grad_()
    return before, view.requires_grad, view.is_leaf, view.grad_fn


def _nan(torch):
    x = torch.zeros(2, requires_grad=True)
    with torch.autograd.set_detect_anomaly(True):
        (x.sqrt() * 0).sum().backward()


def _dtypes(torch):
    x = _leaf(torch, 2)
    y = x.double() * torch.ones(2, dtype=torch.complex128)
    y.real.sum().backward()
    return x.grad


def _backward_inputs(torch):
    x, y = _leaf(torch, 2), _leaf(torch, 2)
    z = x * y
    (z * z).sum().backward(inputs=[x, z])
    return x.grad, y.grad, z.grad


SITUATIONS = {
    "hook order": _hook_order,
    "hooks replace": _replaced_gradients,
    "reentrant": _reentrant,
    "very deep reentry": _very_deep_reentry,
    "higher orders": _higher_orders,
    "saved hooks": _saved_hooks,
    "saved attributes": _saved_attributes,
    "checkpoint": _checkpoint,
    "100,000 nodes": _deep,
    "threads": _threads,
    "gradient of a wrong shape": lambda t: _wrong_gradient(t, lambda g: (g[0], g)),
    "gradient to be summed": lambda t: _wrong_gradient(t, lambda g: (g.expand(4, 2, 3), g)),
    "gradient of another dtype": lambda t: _wrong_gradient(t, lambda g: (g.double(), g)),
    "complex gradient": lambda t: _wrong_gradient(t, lambda g: (g.to(t.complex64), g)),
    "integer gradient": lambda t: _wrong_gradient(t, lambda g: (t.ones(2, 3, dtype=t.int64), g)),
    "too few gradients": lambda t: _wrong_gradient(t, lambda g: g),
    "too many gradients": lambda t: _wrong_gradient(t, lambda g: (g, g, g)),
    "not a gradient": lambda t: _wrong_gradient(t, lambda g: (g, 3)),
    "meta gradient": lambda t: _wrong_gradient(t, lambda g: (t.empty(2, 3, device="meta"), g)),
    "custom views": _custom_views,
    "written custom view": _written_custom_view,
    "outputs": _outputs,
    "during a pass": _during_a_pass,
    "versions": _versions,
    "late leaf": _late_leaf,
    "anomaly": _nan,
    "dtypes": _dtypes,
    "backward inputs": _backward_inputs,
}


@pytest.mark.parametrize("name", SITUATIONS)
def test_situations_end_as_in_torch(name, mt, oracle):
    _compare(SITUATIONS[name], mt, oracle)


def _compare(run, mt, oracle):
    ours, theirs = outcome(run, mt), outcome(run, oracle)
    assert _words(ours[0]) == _words(theirs[0])
    assert _numbers(ours[0]) == pytest.approx(_numbers(theirs[0]), rel=1e-4, abs=1e-5, nan_ok=True)


NUMBER = re.compile(r"(?<=')-?(?:\d+(?:\.\d+)?(?:e[-+]?\d+)?|nan|inf)(?=')")


def _words(value):
    return NUMBER.sub("#", str(value))


def _numbers(value):
    return [float(number) for number in NUMBER.findall(str(value))]


def test_cycles_through_hooks_are_collected(mt):
    class Marker:
        pass

    x = mt.ones(1, requires_grad=True)
    y = x * 2
    marker = Marker()
    y.register_hook(lambda g, kept=(y, marker): None)
    alive = weakref.ref(marker)
    del y, marker
    gc.collect()
    assert alive() is None


def test_gradients_keep_their_python_object(mt):
    x = mt.ones(1, requires_grad=True)
    (x * 2).sum().backward()
    x.grad.note = 3
    gc.collect()
    assert x.grad is x.grad
    assert x.grad.note == 3
    assert (x * 2).grad_fn.next_functions[0][0].variable is x
