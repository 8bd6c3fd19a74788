"""Operators between tensors, parameters and subclasses keep Python's order of operands."""

import operator

import pytest


@pytest.mark.parametrize("name", ["add", "sub", "mul", "truediv", "matmul", "pow", "and_", "or_", "lt", "eq"])
def test_parameter_as_right_operand_keeps_operand_order(mt, oracle, name):
    texts = {}
    for torch in (mt, oracle):
        weight = torch.nn.Parameter(torch.zeros(3, dtype=torch.int64), requires_grad=False)
        with pytest.raises(RuntimeError) as raised:
            getattr(operator, name)(torch.zeros(2, 4, dtype=torch.int64), weight)
        texts[torch] = str(raised.value)
    assert texts[mt] == texts[oracle]


def test_the_graph_of_a_tensor_and_a_parameter_has_them_in_order(mt):
    leaf, weight = mt.ones(3, requires_grad=True), mt.nn.Parameter(mt.ones(3))
    for made in (leaf + weight, leaf - weight, leaf * weight, leaf / weight, leaf @ weight):
        first, second = (edge[0].variable for edge in made.grad_fn.next_functions)
        assert first is leaf and second is weight


@pytest.mark.parametrize("own", [(), ("__add__",), ("__radd__",), ("__add__", "__radd__"), ("__iadd__",)])
def test_subclass_operators_are_tried_in_pythons_order(mt, oracle, own):
    asked = {}
    for torch in (mt, oracle):
        calls = []

        def make_recording_method(name, torch=torch, calls=calls):
            def record_call(self, other):
                calls.append(name)
                return getattr(torch.Tensor, name)(self, other)

            return record_call

        class Sub(torch.Tensor):
            __torch_function__ = torch._C._disabled_torch_function_impl

        for name in own:
            setattr(Sub, name, make_recording_method(name))
        Own = type("Own", (torch.Tensor,), {name: make_recording_method(name) for name in own})
        for kind in (Sub, Own):
            s, t = torch.ones(2).as_subclass(kind), torch.ones(2)
            for pair in ((s, t), (t, s), (s, s), (s, 1), (1, s)):
                calls.append(type(pair[0] + pair[1]).__name__)
            s += t
            calls.append(type(s).__name__)
        asked[torch] = calls
    assert asked[mt] == asked[oracle]
