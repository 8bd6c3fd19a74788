"""mindtorch.capi, the SWIG module: boxed values, ownership, errors with Python's own types, hooks."""

import array
import gc
import subprocess
import sys
import threading
from importlib import metadata

import pytest
from mindtorch import capi
from mindtorch.version import mindtorch as own_version


def make_vector(*numbers):
    return capi.tensor_from_doubles([float(x) for x in numbers], [len(numbers)], capi.MT_FLOAT32)


def list_values(tensor):
    return list(capi.tensor_to_doubles(tensor))


def test_the_library_has_the_version_of_the_package():
    assert capi.mt_version() == own_version == metadata.version("mindtorch")


def test_an_operator_is_called_with_plain_numbers_and_tensors():
    # Expected: torch.add(torch.tensor([1., 2.]), torch.tensor([10., 20.]), alpha=2) in torch.
    assert list_values(capi.call("add", "Tensor", make_vector(1, 2), make_vector(10, 20), 2)) == [21.0, 42.0]


def test_operator_with_several_results_returns_a_list():
    # Expected: torch.max(torch.tensor([3., 9., 4.]), 0) in torch.
    largest, where = capi.call("max", "dim", make_vector(3, 9, 4), 0)
    assert capi.tensor_item(largest) == 9.0
    assert capi.tensor_item(where) == 1.0


def test_tensor_list_is_accepted_as_argument():
    assert list_values(capi.call("cat", "", [make_vector(1), make_vector(2, 3)], 0)) == [1.0, 2.0, 3.0]


def test_an_argument_is_given_by_name():
    # Expected: torch.div(torch.tensor([7., -7.]), torch.tensor([2., 2.]), rounding_mode="floor") in torch.
    assert list_values(
        capi.call("div", "Tensor_mode", make_vector(7, -7), make_vector(2, 2), rounding_mode="floor")
    ) == [3.0, -4.0]
    with pytest.raises(TypeError, match="unexpected keyword argument 'dtyp'"):
        capi.call("zeros", "", [2], dtyp="float64")


def test_dtype_argument_is_a_name_or_number_and_result_is_a_number():
    assert capi.tensor_get_info(capi.call("zeros", "", [2], dtype="float64")).dtype == capi.MT_FLOAT64
    wide = capi.call("zeros", "", [2], dtype=capi.MT_FLOAT64)
    assert capi.call("result_type", "Tensor", make_vector(1), wide) == capi.MT_FLOAT64
    with pytest.raises(TypeError, match="there is no dtype float65"):
        capi.call("zeros", "", [2], dtype="float65")


def test_lists_convert_to_the_schema_type():
    # The schema of upsample_nearest1d.vec takes a list of doubles, so the int in [2] is converted.
    image = capi.call("ones", "", [1, 1, 2])
    assert capi.tensor_sizes(capi.call("upsample_nearest1d", "vec", image, None, [2])) == (1, 1, 4)
    with pytest.raises(ValueError, match="expected a non-empty list of Tensors"):
        capi.call("cat", "", [], 0)  # the text of torch.cat([])
    grid = capi.call("reshape", "", capi.call("arange", "", 6), [2, 3])
    one = capi.tensor_from_doubles([1.0], [1], capi.MT_INT64)
    # The list contains an absent tensor. Expected: torch.arange(6).reshape(2, 3)[:, [1]] in torch.
    assert list_values(capi.call("index", "Tensor", grid, [None, one])) == [1.0, 4.0]


def test_a_generator_and_a_complex_number_go_in():
    generator = capi.generator_create(capi.device_parse("cpu"))
    capi.generator_seed(generator, 7)
    # Expected: torch.randn(2, generator=torch.Generator().manual_seed(7)) in torch.
    assert list_values(capi.call("randn", "generator", [2], generator)) == pytest.approx([-0.1468, 0.7861], abs=1e-4)
    product = capi.call("mul", "Scalar", capi.call("ones", "", [1]), 2j)
    assert list_values(capi.call("imag", "", product)) == [2.0]  # (torch.ones(1) * 2j).imag


def test_gradients_reach_the_leaf():
    x = make_vector(1, 2, 3)
    capi.tensor_set_requires_grad(x, True)
    assert capi.tensor_grad(x) is None
    capi.backward(capi.call("sum", "", capi.call("mul", "Tensor", x, x)))
    assert list_values(capi.tensor_grad(x)) == [2.0, 4.0, 6.0]


def test_gradients_are_given_without_touching_the_leaf():
    x = make_vector(3)
    capi.tensor_set_requires_grad(x, True)
    roots, inputs = capi.Tensors(), capi.Tensors()
    roots.add(capi.call("sum", "", capi.call("mul", "Tensor", x, x)))
    inputs.add(x)
    found = capi.autograd_grad(roots, capi.Tensors(), inputs, False, False, False)
    assert list_values(found.get(0)) == [6.0]
    assert capi.tensor_grad(x) is None


def test_errors_have_python_types_and_torch_texts():
    with pytest.raises(RuntimeError, match=r"The size of tensor a \(3\) must match the size of tensor b \(2\)"):
        capi.call("add", "Tensor", make_vector(1, 2, 3), make_vector(1, 2))
    with pytest.raises(IndexError, match="Dimension out of range"):
        capi.call("unsqueeze", "", make_vector(1), 7)


def test_a_c_function_raises_too():
    with pytest.raises(RuntimeError):
        capi.mt_tensor_set_requires_grad(capi.call("argmax", "", make_vector(1, 2)), 1)  # an integer tensor


def test_nothing_in_place_of_a_handle_is_refused():
    with pytest.raises((TypeError, ValueError)):
        capi.tensor_version(None)


def test_handles_are_released_by_the_collector():
    x = make_vector(1, 2)
    again = [capi.tensor_alias(x, 0) for _ in range(10)]
    before = capi.allocator_get_stats().allocated_bytes
    del x, again
    gc.collect()
    assert capi.allocator_get_stats().allocated_bytes < before


def test_a_hook_written_in_python_replaces_the_gradient():
    class Double(capi.GradientHook):
        def call(self, gradient, replacement):
            replacement.add(capi.call("mul", "Scalar", gradient, 2.0))

    x, hook = make_vector(1, 2), Double()
    capi.tensor_set_requires_grad(x, True)
    capi.tensor_add_hook(x, hook)
    capi.backward(capi.call("sum", "", x))
    assert list_values(capi.tensor_grad(x)) == [2.0, 2.0]


def test_exception_of_a_hook_propagates_from_backward():
    class Fail(capi.GradientHook):
        def call(self, gradient, replacement):
            raise KeyError("from the hook")

    x, hook = make_vector(1, 2), Fail()
    capi.tensor_set_requires_grad(x, True)
    capi.tensor_add_hook(x, hook)
    with pytest.raises(KeyError, match="from the hook"):
        capi.backward(capi.call("sum", "", x))


def test_a_queue_keeps_the_gradients_that_arrived():
    x, queue = make_vector(1, 2), capi.GradientQueue()
    capi.tensor_set_requires_grad(x, True)
    queue.watch(x)
    capi.backward(capi.call("sum", "", x))
    assert queue.size() == 1
    assert list_values(queue.poll()) == [1.0, 1.0]
    assert queue.poll() is None


def test_the_registry_describes_itself():
    assert capi.op_count() > 100
    about = capi.op_get_info(capi.op_find("add", "Tensor"))
    assert about.schema == "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor"


def test_devices_are_queried_by_type():
    assert capi.device_count(capi.MT_CPU) == capi.device_count(capi.MT_META) == 1 and capi.device_get(capi.MT_CPU) == 0
    capi.device_synchronize(capi.MT_CPU, 0)
    assert capi.device_count(capi.MT_CUDA) == 0
    with pytest.raises(RuntimeError):
        capi.device_load("/nonexistent.so")


def test_it_loads_neither_torch_nor_the_tree():
    code = "import sys, mindtorch.capi; print([m for m in ('torch', 'numpy', 'mindtorch.nn') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"


def test_packed_numbers_go_in_and_out():
    packed = array.array("d", [1.5, 2.5])
    tensor = capi.tensor_from_bytes(packed, [2], capi.MT_FLOAT64)
    assert capi.tensor_to_bytes(tensor) == packed.tobytes()


def test_arguments_select_the_overload():
    tensor = capi.tensor_from_doubles([1, 2], [2], capi.MT_FLOAT64)
    assert capi.tensor_to_doubles(capi.call("add", "", tensor, 2)) == (3, 4)
    assert capi.tensor_to_doubles(capi.call("add", "", tensor, tensor, alpha=3)) == (4, 8)


def count_ticks_of_another_thread(work):
    """How often another thread runs meanwhile; none does if this one keeps the interpreter's lock."""
    ticks, done = 0, threading.Event()

    def tick():
        nonlocal ticks
        while not done.wait(0.002):
            ticks += 1

    ticker = threading.Thread(target=tick)
    ticker.start()
    before = ticks
    work()
    after = ticks
    done.set()
    ticker.join()
    return after - before


def test_long_products_leave_the_interpreter_to_other_threads():
    tensor = capi.call("rand", "", [2048, 2048])
    assert count_ticks_of_another_thread(lambda: capi.call("mm", "", tensor, tensor)) >= 5


def test_backward_leaves_the_interpreter_and_hooks_return_to_it():
    leaf = capi.call("rand", "", [1024, 1024])
    capi.tensor_set_requires_grad(leaf, 1)
    seen = []

    class Hook(capi.GradientHook):
        def call(self, gradient, replacement):
            seen.append(tuple(capi.tensor_sizes(gradient)))

    hook = Hook()
    capi.tensor_add_hook(leaf, hook)
    product = capi.call("mm", "", capi.call("mm", "", leaf, leaf), leaf)
    loss = capi.call("sum", "", product)
    assert count_ticks_of_another_thread(lambda: capi.backward(loss)) >= 3
    assert seen == [(1024, 1024)]
