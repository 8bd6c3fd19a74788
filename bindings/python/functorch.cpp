// _C._functorch: the levels of vmap, batched tensors, and this thread's depth of function transforms.
#include <algorithm>
#include <string_view>
#include <vector>

#include "mindtorch/transform.h"
#include "node.h"
#include "tensor.h"
#include "types.h"

namespace mt::py {
namespace {

// The running transforms, innermost last: the level of a vmap, or 0 for others, which the library does not track.
std::vector<int64_t>& transform_stack() {
  thread_local std::vector<int64_t> stack;
  return stack;
}

struct BatchInfo {
  int64_t level = 0, dim = 0;
  Handle value;
};
BatchInfo batch_info_of(PyObject* tensor) {
  if (!is_tensor(tensor)) raise(PyExc_TypeError, "expected a Tensor, got %s", Py_TYPE(tensor)->tp_name);
  BatchInfo info;
  check(mt_batched_get(handle(tensor), &info.level, &info.dim, info.value.out()));
  return info;
}

PyObject* is_batched(PyObject*, PyObject* tensor) {
  return guarded([&] { return PyBool_FromLong(batch_info_of(tensor).level > 0); });
}
PyObject* return_false(PyObject*, PyObject*) { Py_RETURN_FALSE; }
PyObject* get_vmap_level(PyObject*, PyObject* tensor) {
  return guarded([&] {
    const int64_t level = batch_info_of(tensor).level;
    return PyLong_FromLongLong(level ? level : -1);
  });
}
PyObject* get_batch_dim(PyObject*, PyObject* tensor) {
  return guarded([&] {
    const BatchInfo info = batch_info_of(tensor);
    return PyLong_FromLongLong(info.level ? info.dim : -1);
  });
}
PyObject* get_unbatched_value(PyObject*, PyObject* tensor) {
  return guarded([&]() -> PyObject* {
    BatchInfo info = batch_info_of(tensor);
    if (!info.level) raise(PyExc_RuntimeError, "No wrappers present!");
    return wrap(std::move(info.value));
  });
}
PyObject* add_batch_dim(PyObject*, PyObject* args) {
  return guarded([&] {
    PyObject* value;
    long long dim, level;
    expect(PyArg_ParseTuple(args, "OLL", &value, &dim, &level));
    if (!is_tensor(value)) raise(PyExc_TypeError, "expected a Tensor, got %s", Py_TYPE(value)->tp_name);
    Handle batched;
    check(mt_batched_make(handle(value), dim, level, batched.out()));
    return wrap(std::move(batched));
  });
}

// _remove_batch_dim(tensor, level, batch size, dim): returns the tensor below a vmap level, with the mapped dimension at `dim`. As in
// torch, a tensor that this level does not map is expanded.
PyObject* remove_batch_dim(PyObject*, PyObject* args) {
  return guarded([&]() -> PyObject* {
    PyObject* tensor;
    long long level, size, dim;
    expect(PyArg_ParseTuple(args, "OLLL", &tensor, &level, &size, &dim));
    BatchInfo info = batch_info_of(tensor);
    if (info.level == level) {
      const long long present = info.dim;
      Ref values = own(wrap(std::move(info.value)));
      return PyObject_CallMethod(values.get(), "movedim", "LL", present, dim);
    }
    Ref sizes = own(PySequence_List(own(PyObject_GetAttrString(tensor, "shape")).get()));
    expect_zero(PyList_Insert(sizes.get(), dim, own(PyLong_FromLongLong(size)).get()));
    return PyObject_CallMethod(tensor, "expand", "O", sizes.get());
  });
}

PyObject* enter_vmap(PyObject*, PyObject* args) {
  return guarded([&]() -> PyObject* {
    long long size;
    const char* randomness;
    expect(PyArg_ParseTuple(args, "Ls", &size, &randomness));
    const std::string_view name = randomness;
    const int32_t code = name == "same" ? MT_RANDOMNESS_SAME : name == "different" ? MT_RANDOMNESS_DIFFERENT : MT_RANDOMNESS_ERROR;
    int64_t level = 0;
    check(mt_vmap_enter(size, code, &level));
    transform_stack().push_back(level);
    return PyLong_FromLongLong(level);
  });
}
PyObject* exit_vmap(PyObject*, PyObject*) {
  return guarded([] {
    int64_t depth = 0;
    check(mt_vmap_depth(&depth));
    check(mt_vmap_exit(depth));
    transform_stack().pop_back();
    return PyLong_FromLongLong(depth);
  });
}
// [(level, batch size, randomness)], innermost last.
PyObject* list_vmap_levels(PyObject*, PyObject*) {
  return guarded([] {
    static const char* const names[] = {"error", "same", "different"};
    int64_t depth = 0;
    check(mt_vmap_depth(&depth));
    Ref list = own(PyList_New(depth));
    for (int64_t level = 1; level <= depth; ++level) {
      int64_t size = 0;
      int32_t randomness = 0;
      check(mt_vmap_level(level, &size, &randomness));
      PyList_SET_ITEM(list.get(), level - 1,
                      own(Py_BuildValue("LLs", static_cast<long long>(level), static_cast<long long>(size), names[randomness])).release());
    }
    return list.release();
  });
}
PyObject* set_visible_vmap_depth(PyObject*, PyObject* depth) {
  return guarded([&] {
    int64_t former = 0;
    check(mt_vmap_set_visible(to_int64(depth), &former));
    return PyLong_FromLongLong(former);
  });
}
PyObject* enter_function_transform(PyObject*, PyObject*) {
  return guarded([] {
    transform_stack().push_back(0);
    return PyLong_FromSize_t(transform_stack().size());
  });
}
PyObject* exit_function_transform(PyObject*, PyObject*) {
  return guarded([]() -> PyObject* {
    if (transform_stack().empty()) raise(PyExc_RuntimeError, "no function transform is under way");
    transform_stack().pop_back();
    return PyLong_FromSize_t(transform_stack().size() + 1);
  });
}
// Converts a vmap level to its position among all running function transforms, counted from 1.
PyObject* position_among_transforms(PyObject*, PyObject* level) {
  return guarded([&] {
    const auto found = std::find(transform_stack().begin(), transform_stack().end(), to_int64(level));
    return PyLong_FromLongLong(found == transform_stack().end() ? to_int64(level) : found - transform_stack().begin() + 1);
  });
}
PyObject* set_reported_device(PyObject*, PyObject* args) {
  return guarded([&] {
    PyObject *tensor, *device;
    expect(PyArg_ParseTuple(args, "OO", &tensor, &device));
    if (!is_tensor(tensor) || !is_device(device)) raise(PyExc_TypeError, "expected a Tensor and a device");
    check(mt_tensor_pose(handle(tensor), to_device(device)));
    return incref(Py_None);
  });
}

PyMethodDef functions[] = {{"is_batchedtensor", is_batched, METH_O, nullptr},
                           {"is_functorch_wrapped_tensor", is_batched, METH_O, nullptr},
                           {"is_gradtrackingtensor", return_false, METH_O, nullptr},
                           {"is_legacy_batchedtensor", return_false, METH_O, nullptr},
                           {"maybe_get_level", get_vmap_level, METH_O, nullptr},
                           {"maybe_get_bdim", get_batch_dim, METH_O, nullptr},
                           {"get_unwrapped", get_unbatched_value, METH_O, nullptr},
                           {"_add_batch_dim", add_batch_dim, METH_VARARGS, nullptr},
                           {"_remove_batch_dim", remove_batch_dim, METH_VARARGS, nullptr},
                           {"_vmap_increment_nesting", enter_vmap, METH_VARARGS, nullptr},
                           {"_vmap_decrement_nesting", exit_vmap, METH_NOARGS, nullptr},
                           {"_vmap_levels", list_vmap_levels, METH_NOARGS, nullptr},
                           {"_set_visible_levels", set_visible_vmap_depth, METH_O, nullptr},
                           {"_grad_increment_nesting", enter_function_transform, METH_NOARGS, nullptr},
                           {"_grad_decrement_nesting", exit_function_transform, METH_NOARGS, nullptr},
                           {"_func_increment_nesting", enter_function_transform, METH_VARARGS, nullptr},
                           {"_func_decrement_nesting", exit_function_transform, METH_NOARGS, nullptr},
                           {"_transform_number", position_among_transforms, METH_O, nullptr},
                           {"_pose", set_reported_device, METH_VARARGS, nullptr},
                           {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool in_function_transform() { return !transform_stack().empty(); }

void refuse_batched(PyObject* tensor, PyObject* type, const char* text) {
  if (!(info_of(tensor).keys >> MT_KEY_TRANSFORMS & 1)) return;
  if (batch_info_of(tensor).level) raise(type, "%s", text);
}

Handle differentiated_value(PyObject* tensor) {
  if (transform_stack().empty() || !(info_of(tensor).keys >> MT_KEY_TRANSFORMS & 1)) return Handle();
  BatchInfo info = batch_info_of(tensor);
  const auto own = std::find(transform_stack().begin(), transform_stack().end(), info.level);
  if (!info.level || std::find(own, transform_stack().end(), 0) == transform_stack().end()) return Handle();
  for (;;) {
    BatchInfo inner;
    check(mt_batched_get(info.value.get(), &inner.level, &inner.dim, inner.value.out()));
    if (!inner.level) return std::move(info.value);
    info = std::move(inner);
  }
}

void init_functorch(PyObject*) { add_submodule("_functorch", functions); }

}  // namespace mt::py
