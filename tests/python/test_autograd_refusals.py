"""Errors and hooks of autograd for in-place writes and detached tensors. Expected: real torch."""

import pytest
from outcomes import outcome


def _make_leaf(torch, n=2):
    return torch.ones(n, requires_grad=True)


def _assign_data_of_leaf(torch, other):
    leaf = _make_leaf(torch)
    leaf.data = other
    return leaf


def _detach_input(torch):
    leaf = _make_leaf(torch)
    middle = leaf * 2
    result = middle * middle
    middle.detach_()
    result.sum().backward()


def _detach_result(torch):
    leaf = _make_leaf(torch)
    middle = leaf.exp()
    result = middle.sum()
    middle.detach_()
    result.backward()
    return leaf.grad


def _differentiate_after_set(torch):
    leaf = _make_leaf(torch)
    result = leaf * 2
    with torch.no_grad():
        leaf.set_(torch.ones(3))
    return torch.autograd.grad(result.sum(), leaf)


def _activate_in_place_and_differentiate(torch, name, *options, **more):
    leaf = _make_leaf(torch)
    getattr(torch.nn.functional, name)(leaf * -1, *options, inplace=True, **more).sum().backward()
    return leaf.grad


CASES = {
    "data of integers": lambda t: _assign_data_of_leaf(t, t.ones(2).long()),
    "data of another float": lambda t: _assign_data_of_leaf(t, t.ones(3).double()),
    "data without memory": lambda t: _assign_data_of_leaf(t, t.ones(2, device="meta")),
    "data of coordinates": lambda t: _assign_data_of_leaf(t, t.ones(2).to_sparse()),
    "data of a number": lambda t: _assign_data_of_leaf(t, 5),
    "a saved input that was detached": _detach_input,
    "a saved result that was detached": _detach_result,
    "a gradient of what was set anew": _differentiate_after_set,
    "leaky_relu_": lambda t: _activate_in_place_and_differentiate(t, "leaky_relu", -0.1),
    "leaky_relu_, positive": lambda t: _activate_in_place_and_differentiate(t, "leaky_relu", 0.1),
    "rrelu_, mean": lambda t: _activate_in_place_and_differentiate(t, "rrelu", -0.2, -0.1),
    "elu_": lambda t: _activate_in_place_and_differentiate(t, "elu", -0.1),
    "elu_, positive": lambda t: _activate_in_place_and_differentiate(t, "elu", 0.5),
    "celu_": lambda t: _activate_in_place_and_differentiate(t, "celu", -0.5),
    "celu_, positive": lambda t: _activate_in_place_and_differentiate(t, "celu", 0.5),
    "selu_": lambda t: _activate_in_place_and_differentiate(t, "selu"),
    "map_ with what requires grad": lambda t: t.ones(2).map_(_make_leaf(t), lambda a, b: a),
    "map2_ with what requires grad": lambda t: t.ones(2).map2_(t.ones(2), _make_leaf(t), lambda a, b, c: a),
    "map2_ with another dtype": lambda t: t.ones(2).map2_(t.ones(2), t.ones(2).double(), lambda a, b, c: a),
    "map_ with another dtype": lambda t: t.ones(2).map_(t.ones(2).int(), lambda a, b: a),
    "map2_": lambda t: t.ones(2).map2_(t.ones(2), t.ones(2), lambda a, b, c: a + b + c),
}


@pytest.mark.parametrize("name", CASES)
def test_autograd_refuses_untrackable_writes(name, mt, oracle):
    assert outcome(CASES[name], mt)[0] == outcome(CASES[name], oracle)[0]


def test_hooks_stay_with_the_node_of_registration(mt, oracle):
    def register_hooks_around_write(torch):
        seen = []
        leaf = _make_leaf(torch)
        result = leaf.clone()
        result.register_hook(lambda g: seen.append(("first", g.tolist())))
        result.mul_(2)
        assert result._backward_hooks is None
        result.register_hook(lambda g: seen.append(("second", g.tolist())))
        result.mul_(4)
        (result * 3).sum().backward()
        return seen, leaf.grad.tolist()

    assert register_hooks_around_write(mt) == register_hooks_around_write(oracle)
    assert register_hooks_around_write(mt)[0] == [("second", [12.0, 12.0]), ("first", [24.0, 24.0])]


def test_a_hook_registered_while_a_node_unpacks_is_called(mt, oracle):
    def register_hook_while_unpacking(torch):
        seen = []

        def unpack_and_register_hook(x):
            node.register_hook(lambda inputs, outputs: seen.append(len(inputs)))
            return x

        leaf = _make_leaf(torch)
        with torch.autograd.graph.saved_tensors_hooks(lambda x: x, unpack_and_register_hook):
            result = leaf * leaf
        node = result.grad_fn
        result.sum().backward()
        return seen, leaf.grad.tolist()

    assert register_hook_while_unpacking(mt) == register_hook_while_unpacking(oracle)


def test_views_of_inference_tensors_have_no_history(mt, oracle):
    def view_inference_tensor(torch):
        with torch.inference_mode():
            x = torch.ones(4, requires_grad=True)
            inside = x.view(2, 2).requires_grad
        outside = [x.view(2, 2), x[0], x.t(), x.view(2, 2)[0]]
        return inside, [(v.requires_grad, v.grad_fn is None, v.is_inference()) for v in outside]

    assert view_inference_tensor(mt) == view_inference_tensor(oracle)


def test_a_function_keeps_the_class_of_an_input_that_it_hands_back(mt, oracle):
    def return_marked_input(torch):
        marked = type("Marked", (torch.Tensor,), {})
        members = {"forward": staticmethod(lambda ctx, x: x), "backward": staticmethod(lambda ctx, g: g * 2)}
        function = type("Same", (torch.autograd.Function,), members)
        kinds = [
            type(function.apply(x)).__name__
            for x in (
                torch.ones(2).as_subclass(marked),
                _make_leaf(torch).as_subclass(marked),
                torch.nn.Parameter(torch.ones(2)),
            )
        ]
        leaf = _make_leaf(torch)
        function.apply(leaf.as_subclass(marked)).sum().backward()
        return kinds, leaf.grad.tolist()

    assert return_marked_input(mt) == return_marked_input(oracle)


def test_a_function_may_ask_for_no_gradient_of_constants(mt, oracle):
    def record_undefined_gradients(torch, materialize):
        seen = []

        def forward(ctx, x):
            ctx._materialize_non_diff_grads = materialize
            constant, result = x.long(), x * 2
            ctx.mark_non_differentiable(constant)
            return result, constant

        def backward(ctx, grad, nothing):
            seen.append(None if nothing is None else nothing.tolist())
            return grad

        members = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
        type("Halves", (torch.autograd.Function,), members).apply(_make_leaf(torch))[0].sum().backward()
        return seen

    for materialize in (True, False):
        assert record_undefined_gradients(mt, materialize) == record_undefined_gradients(oracle, materialize)


def _backward_after_write(torch, operator):
    x = torch.ones(2, 2, requires_grad=True) * 1
    result = operator(torch, x)
    x.add_(1)
    result.sum().backward()


SAVED = {
    "a tensor": lambda t, x: x * x,
    "a result": lambda t, x: x.exp(),
    "a transposed tensor": lambda t, x: x.T.cos(),
    "a row": lambda t, x: x[0] * x[1],
    "a flat view": lambda t, x: x.view(4).sin(),
    "an expanded view": lambda t, x: x.expand(3, 2, 2).cos(),
    "one of several views": lambda t, x: x.unbind()[0].cos(),
    "a weight": lambda t, x: t.nn.functional.linear(t.ones(1, 2, requires_grad=True), x),
    "a kernel": lambda t, x: t.nn.functional.conv1d(t.ones(1, 2, 2, requires_grad=True), x[:, :, None]),
}


@pytest.mark.parametrize("name", SAVED)
def test_the_error_of_a_saved_tensor_that_was_written_names_its_node(name, mt, oracle):
    found = [outcome(lambda t: _backward_after_write(t, SAVED[name]), torch)[0] for torch in (mt, oracle)]
    assert found[0] == found[1]


def test_the_error_of_a_weight_that_an_optimizer_changed(mt, oracle):
    def write_weight_before_backward(torch):
        weight = torch.ones(2, 2, requires_grad=True)
        result = torch.ones(1, 2, requires_grad=True) @ weight.t()
        with torch.no_grad():
            weight.add_(1)
        result.sum().backward()

    assert outcome(write_weight_before_backward, mt)[0] == outcome(write_weight_before_backward, oracle)[0]
