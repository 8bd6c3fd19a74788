"""mindtorch.capi, the SWIG module: boxed values, ownership, errors with Python's own types, hooks."""

import gc
import subprocess
import sys

import pytest
from mindtorch import capi


def vector(*numbers):
    return capi.tensor_from_doubles([float(x) for x in numbers], [len(numbers)], capi.MT_FLOAT32)


def values(tensor):
    return list(capi.tensor_to_doubles(tensor))


def test_an_operator_is_called_with_plain_numbers_and_tensors():
    # torch.add(torch.tensor([1., 2.]), torch.tensor([10., 20.]), alpha=2)
    assert values(capi.call("add", "Tensor", vector(1, 2), vector(10, 20), 2)) == [21.0, 42.0]


def test_an_operator_with_several_results_gives_a_list():
    # torch.max(torch.tensor([3., 9., 4.]), 0)
    largest, where = capi.call("max", "dim", vector(3, 9, 4), 0)
    assert capi.tensor_item(largest) == 9.0
    assert capi.tensor_item(where) == 1.0


def test_a_list_of_tensors_goes_in():
    assert values(capi.call("cat", "", [vector(1), vector(2, 3)], 0)) == [1.0, 2.0, 3.0]


def test_gradients_reach_the_leaf():
    x = vector(1, 2, 3)
    capi.tensor_set_requires_grad(x, True)
    assert capi.tensor_grad(x) is None
    capi.backward(capi.call("sum", "", capi.call("mul", "Tensor", x, x)))
    assert values(capi.tensor_grad(x)) == [2.0, 4.0, 6.0]


def test_gradients_are_given_without_touching_the_leaf():
    x = vector(3)
    capi.tensor_set_requires_grad(x, True)
    roots, inputs = capi.Tensors(), capi.Tensors()
    roots.add(capi.call("sum", "", capi.call("mul", "Tensor", x, x)))
    inputs.add(x)
    found = capi.autograd_grad(roots, capi.Tensors(), inputs, False, False, False)
    assert values(found.get(0)) == [6.0]
    assert capi.tensor_grad(x) is None


def test_errors_have_python_types_and_torch_texts():
    with pytest.raises(RuntimeError, match=r"The size of tensor a \(3\) must match the size of tensor b \(2\)"):
        capi.call("add", "Tensor", vector(1, 2, 3), vector(1, 2))
    with pytest.raises(IndexError, match="Dimension out of range"):
        capi.call("unsqueeze", "", vector(1), 7)


def test_a_c_function_raises_too():
    with pytest.raises(RuntimeError):
        capi.mt_tensor_set_requires_grad(capi.call("argmax", "", vector(1, 2)), 1)  # an integer tensor


def test_nothing_in_place_of_a_handle_is_refused():
    with pytest.raises((TypeError, ValueError)):
        capi.tensor_version(None)


def test_handles_are_released_by_the_collector():
    x = vector(1, 2)
    again = [capi.tensor_alias(x, 0) for _ in range(10)]
    before = capi.allocator_get_stats().allocated_bytes
    del x, again
    gc.collect()
    assert capi.allocator_get_stats().allocated_bytes < before


def test_a_hook_written_in_python_replaces_the_gradient():
    class Double(capi.GradientHook):
        def call(self, gradient, replacement):
            replacement.add(capi.call("mul", "Scalar", gradient, 2.0))

    x, hook = vector(1, 2), Double()
    capi.tensor_set_requires_grad(x, True)
    capi.tensor_add_hook(x, hook)
    capi.backward(capi.call("sum", "", x))
    assert values(capi.tensor_grad(x)) == [2.0, 2.0]


def test_an_exception_of_a_hook_comes_out_of_backward():
    class Fail(capi.GradientHook):
        def call(self, gradient, replacement):
            raise KeyError("from the hook")

    x, hook = vector(1, 2), Fail()
    capi.tensor_set_requires_grad(x, True)
    capi.tensor_add_hook(x, hook)
    with pytest.raises(KeyError, match="from the hook"):
        capi.backward(capi.call("sum", "", x))


def test_a_queue_keeps_the_gradients_that_arrived():
    x, queue = vector(1, 2), capi.GradientQueue()
    capi.tensor_set_requires_grad(x, True)
    queue.watch(x)
    capi.backward(capi.call("sum", "", x))
    assert queue.size() == 1
    assert values(queue.poll()) == [1.0, 1.0]
    assert queue.poll() is None


def test_the_registry_describes_itself():
    assert capi.op_count() > 100
    about = capi.op_get_info(capi.op_find("add", "Tensor"))
    assert about.schema == "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor"


def test_it_loads_neither_torch_nor_the_tree():
    code = "import sys, mindtorch.capi; print([m for m in ('torch', 'numpy', 'mindtorch.nn') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"
