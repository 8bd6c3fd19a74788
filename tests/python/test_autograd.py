"""Autograd: graphs, gradients and errors match real torch, texts included."""

import gc
import weakref

import pytest
from gradients import assert_same_as_oracle, make_leaf


def _list_graph_names(torch, node, depth=4):
    """The graph as nested lists of (name, input number)."""
    if node is None:
        return None
    nexts = [(_list_graph_names(torch, n, depth - 1), nr) for n, nr in node.next_functions] if depth else []
    return (type(node).__name__, nexts)


def _make_leaf_and_result(torch):
    x = make_leaf(torch, 2, 3)
    return x, x * 1


def _make_without_grad(torch, make):
    with torch.no_grad():
        return make()


def _make_in_inference_mode(torch, make):
    with torch.inference_mode():
        return make()


def _backpropagate_into(torch, tensor, *leaves):
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
    def run_backward(torch):
        x, y = make_leaf(torch, 2, 3), make_leaf(torch, 2, 3)
        result = GRAPHS[name](torch, x, y)
        graph = _list_graph_names(torch, result.grad_fn)
        gradients = _backpropagate_into(torch, result, x, y) if result.requires_grad else None
        return graph, gradients, result.detach()

    assert_same_as_oracle(run_backward, mt, oracle)


REFUSALS = {
    "leaf": lambda t, x, b: x.add_(1),
    "view of a leaf": lambda t, x, b: x[0].add_(1),
    "unbind": lambda t, x, b: b.unbind()[0].add_(1),
    "split": lambda t, x, b: b.split(1)[0].add_(1),
    "view of unbind": lambda t, x, b: b.unbind()[0][:1].add_(1),
    "no_grad view": lambda t, x, b: _make_without_grad(t, lambda: b[0]).add_(1),
    "view of a no_grad view": lambda t, x, b: _make_without_grad(t, lambda: b[0])[:1].add_(1),
    "no_grad view, base written": lambda t, x, b: (w := _make_without_grad(t, lambda: b[0]), b.add_(1), w.grad_fn),
    "unbind, base written": lambda t, x, b: (v := b.unbind()[0], b.add_(1), v.grad_fn),
    "unbind of a constant": lambda t, x, b: t.zeros(2, 3).unbind()[0].add_(x[0]),
    "inference tensor written": lambda t, x, b: _make_in_inference_mode(t, lambda: t.ones(2)).add_(1),
    "inference tensor saved": lambda t, x, b: _make_in_inference_mode(t, lambda: t.ones(3)) * x,
    "inference view of a normal tensor": lambda t, x, b: (
        c := t.ones(2, 3),
        _make_in_inference_mode(t, lambda: c[0]).add_(x[0]),
    ),
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
    "saved hooks disabled": lambda t, x, b: _push_disabled_hooks(t),
}


def _push_disabled_hooks(torch):
    with torch.autograd.graph.disable_saved_tensors_hooks("not here"):
        with torch.autograd.graph.saved_tensors_hooks(lambda x: x, lambda x: x):
            pass


@pytest.mark.parametrize("name", REFUSALS)
def test_refusals_are_torchs(name, mt, oracle):
    assert_same_as_oracle(lambda torch: str(REFUSALS[name](torch, *_make_leaf_and_result(torch))) and None, mt, oracle)


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
