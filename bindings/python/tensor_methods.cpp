// Hand-written methods that inspect a tensor: sizes, strides, storage, single values. Operators are not here.
#include <vector>

#include "methods.h"
#include "operators.h"
#include "tensor.h"
#include "tensor_types.h"
#include "torch_function.h"
#include "types.h"

namespace mt::py {
namespace {

int64_t wrap_dim(int64_t dim, int64_t ndim) {
  int64_t low = ndim ? -ndim : -1, high = ndim ? ndim - 1 : 0;
  if (dim < low || dim > high) {
    raise(PyExc_IndexError, "Dimension out of range (expected to be in range of [%lld, %lld], but got %lld)", static_cast<long long>(low),
          static_cast<long long>(high), static_cast<long long>(dim));
  }
  return dim < 0 ? dim + ndim : dim;
}

PyObject* size(PyObject* self, PyObject* const* values, Py_ssize_t n, PyObject* names) {
  return method_of_arguments(self, "size", values, n, names, [&]() -> PyObject* {
    mt_tensor_info info = info_of(self);
    if (!n && !names) return shape_of(self);
    static const Parser parser("size", {"size(int? dim=None)"});
    auto parsed = parser.parse({self, values, n, names});
    if (PyObject* answer = answer_of_dispatch(self, asked_sizes, "size", parsed.has(0) ? parsed.object(0) : nullptr)) return answer;
    if (!parsed.has(0) || parsed.object(0) == Py_None) return size_object({info.sizes, static_cast<size_t>(info.ndim)});
    int64_t dim = wrap_dim(parsed.integer(0), info.ndim);
    if (!info.ndim)
      raise(PyExc_IndexError, "Dimension specified as %lld but tensor has no dimensions", static_cast<long long>(parsed.integer(0)));
    return PyLong_FromLongLong(info.sizes[dim]);
  });
}
PyObject* stride(PyObject* self, PyObject* const* values, Py_ssize_t n, PyObject* names) {
  return method_of_arguments(self, "stride", values, n, names, [&]() -> PyObject* {
    static const Parser parser("stride", {"stride(int? dim=None)"});
    auto parsed = parser.parse({self, values, n, names});
    constexpr uint8_t asked = asked_sizes | asked_strides;
    if (PyObject* answer = answer_of_dispatch(self, asked, "stride", parsed.has(0) ? parsed.object(0) : nullptr)) return answer;
    mt_tensor_info info = info_of(self);
    if (info.layout > MT_SPARSE_COO) {
      static constexpr const char* words[] = {"CSR", "", "CSC", "BSR", "BSC"};
      raise(PyExc_RuntimeError, "Sparse %s tensors do not have strides", words[info.layout - MT_SPARSE_CSR]);
    }
    if (parsed.has(0) && parsed.object(0) != Py_None) {
      int64_t dim = wrap_dim(parsed.integer(0), info.ndim);
      if (!info.ndim)
        raise(PyExc_IndexError, "Dimension specified as %lld but tensor has no dimensions", static_cast<long long>(parsed.integer(0)));
      return PyLong_FromLongLong(info.strides[dim]);
    }
    Ref tuple = own(PyTuple_New(info.ndim));
    for (int64_t i = 0; i < info.ndim; ++i) PyTuple_SET_ITEM(tuple.get(), i, PyLong_FromLongLong(info.strides[i]));
    return tuple.release();
  });
}
PyObject* dim(PyObject* self, PyObject*) {
  return method(self, "dim", nullptr, 0, nullptr, [&] {
    PyObject* answer = answer_of_dispatch(self, asked_sizes, "dim");
    return answer ? answer : PyLong_FromLongLong(info_of(self).ndim);
  });
}
PyObject* numel(PyObject* self, PyObject*) {
  return method(self, "numel", nullptr, 0, nullptr, [&] {
    PyObject* answer = answer_of_dispatch(self, asked_sizes, "numel");
    return answer ? answer : PyLong_FromLongLong(info_of(self).numel);
  });
}
PyObject* element_size(PyObject* self, PyObject*) {
  return method(self, "element_size", nullptr, 0, nullptr, [&] { return PyLong_FromLong(mt_dtype_size(info_of(self).dtype)); });
}
PyObject* storage_offset(PyObject* self, PyObject*) {
  return method(self, "storage_offset", nullptr, 0, nullptr, [&] {
    PyObject* answer = answer_of_dispatch(self, asked_sizes, "storage_offset");
    return answer ? answer : PyLong_FromLongLong(info_of(self).storage_offset);
  });
}
PyObject* get_device(PyObject* self, PyObject*) {
  return method(self, "get_device", nullptr, 0, nullptr, [&] {
    PyObject* answer = answer_of_dispatch(self, asked_device, "get_device");
    return answer ? answer : PyLong_FromLong(info_of(self).device.index);
  });
}
PyObject* data_ptr(PyObject* self, PyObject*) {
  return method(self, "data_ptr", nullptr, 0, nullptr, [&] {
    // A wrapper subclass has no memory: its data pointer is its offset from address 0.
    const mt_tensor_info info = info_of(self);
    if (PyObject* answer = answer_of_dispatch(self, asked_sizes, "data_ptr")) return answer;
    if (is_without_memory(info)) return PyLong_FromLongLong(info.numel ? info.storage_offset * mt_dtype_size(info.dtype) : 0);
    void* data = nullptr;
    check(mt_tensor_data(handle(self), &data));
    return PyLong_FromVoidPtr(data);
  });
}
PyObject* is_contiguous(PyObject* self, PyObject* const* values, Py_ssize_t n, PyObject* names) {
  return method(self, "is_contiguous", values, n, names, [&]() -> PyObject* {
    const bool is_asked = as_tensor(self)->asked & (asked_sizes | asked_strides);
    if (!n && !names && !is_asked && info_of(self).flags & MT_TENSOR_IS_CONTIGUOUS) return incref(Py_True);
    static const Parser parser("is_contiguous", {"is_contiguous(*, MemoryFormat memory_format=contiguous_format)"});
    auto parsed = parser.parse({self, values, n, names});
    PyObject* answer = is_asked ? ask_dispatch(self, "is_contiguous", parsed.has(0) ? parsed.object(0) : nullptr) : nullptr;
    if (answer) return answer;
    int32_t yes = 0;
    int32_t format = parsed.has(0) ? memory_format_code(parsed.object(0)) : MT_CONTIGUOUS_FORMAT;
    check(mt_tensor_is_contiguous(handle(self), format, &yes));
    return PyBool_FromLong(yes);
  });
}
PyObject* is_view(PyObject* self, PyObject*) {
  return method(self, "_is_view", nullptr, 0, nullptr, [&] {
    mt_tensor* base = nullptr;
    check(mt_tensor_base(handle(self), &base));
    mt_tensor_release(base);
    return PyBool_FromLong(base != nullptr);
  });
}
PyObject* is_inference(PyObject* self, PyObject*) {
  return method(self, "is_inference", nullptr, 0, nullptr,
                [&] { return PyBool_FromLong((info_of(self).flags & MT_TENSOR_IS_INFERENCE) != 0); });
}
PyObject* use_count(PyObject* self, PyObject*) {
  return guarded([&] {
    int64_t n = 0;
    check(mt_tensor_use_count(handle(self), &n));
    return PyLong_FromLongLong(n);
  });
}
PyObject* fix_weakref(PyObject* self, PyObject*) { return incref(self); }
PyObject* untyped_storage(PyObject* self, PyObject*) {
  return method(self, "untyped_storage", nullptr, 0, nullptr, [&] {
    mt_storage* storage = nullptr;
    check(mt_tensor_storage(handle(self), &storage));
    return storage_object(storage);
  });
}

// ---- values -----------------------------------------------------------------------------------------------------------

mt_value item_value(PyObject* self) {
  mt_value value;
  mt_status* status;
  {
    ensure_thread();
    NoGil unlocked(info_of(self).flags & MT_TENSOR_REQUIRES_GRAD);
    status = mt_tensor_item(handle(self), &value);
  }
  check(status);
  return value;
}
PyObject* item(PyObject* self, PyObject*) {
  return method(self, "item", nullptr, 0, nullptr, [&] { return number_object(item_value(self)); });
}

PyObject* make_nested_list(const char* data, const mt_tensor_info& info, int64_t dim);
PyObject* read_scalar_at(const char* data, int32_t dtype) {
  switch (dtype) {
    case MT_FLOAT32: return PyFloat_FromDouble(*reinterpret_cast<const float*>(data));
    case MT_FLOAT64: return PyFloat_FromDouble(*reinterpret_cast<const double*>(data));
    case MT_INT64: return PyLong_FromLongLong(*reinterpret_cast<const int64_t*>(data));
    case MT_INT32: return PyLong_FromLong(*reinterpret_cast<const int32_t*>(data));
    case MT_INT16: return PyLong_FromLong(*reinterpret_cast<const int16_t*>(data));
    case MT_INT8: return PyLong_FromLong(*reinterpret_cast<const int8_t*>(data));
    case MT_UINT8: return PyLong_FromLong(*reinterpret_cast<const uint8_t*>(data));
    case MT_UINT16: return PyLong_FromLong(*reinterpret_cast<const uint16_t*>(data));
    case MT_UINT32: return PyLong_FromUnsignedLong(*reinterpret_cast<const uint32_t*>(data));
    case MT_UINT64: return PyLong_FromUnsignedLongLong(*reinterpret_cast<const uint64_t*>(data));
    case MT_BOOL: return PyBool_FromLong(*reinterpret_cast<const uint8_t*>(data));
    case MT_COMPLEX64: {
      auto* parts = reinterpret_cast<const float*>(data);
      return PyComplex_FromDoubles(parts[0], parts[1]);
    }
    case MT_COMPLEX128: {
      auto* parts = reinterpret_cast<const double*>(data);
      return PyComplex_FromDoubles(parts[0], parts[1]);
    }
  }
  raise(PyExc_TypeError, "tolist() is not implemented for %s", mt_dtype_name(dtype));
}
PyObject* make_nested_list(const char* data, const mt_tensor_info& info, int64_t dim) {
  if (dim == info.ndim) return read_scalar_at(data, info.dtype);
  int64_t n = info.sizes[dim], step = info.strides[dim] * mt_dtype_size(info.dtype);
  Ref list = own(PyList_New(n));
  for (int64_t i = 0; i < n; ++i) PyList_SET_ITEM(list.get(), i, own(make_nested_list(data + i * step, info, dim + 1)).release());
  return list.release();
}
// RuntimeError if the storage was resized and no longer holds all elements; call it before reading them directly.
void check_bounds(const mt_tensor* tensor, const mt_tensor_info& info) {
  Handle same;
  check(mt_tensor_view(tensor, info.sizes, info.strides, info.ndim, info.storage_offset, same.out()));
}
// -1 for tensors without a storage of their own.
int64_t storage_bytes(const mt_tensor* tensor) {
  mt_storage* storage = nullptr;
  int64_t nbytes = 0;
  if (mt_status* missing = mt_tensor_storage(tensor, &storage)) {
    mt_status_release(missing);
    return -1;
  }
  mt_status* status = mt_storage_nbytes(storage, &nbytes);
  mt_storage_release(storage);
  check(status);
  return nbytes;
}
PyObject* tolist(PyObject* self, PyObject*) {
  return method(self, "tolist", nullptr, 0, nullptr, [&] {
    if (is_without_memory(info_of(self)))
      raise(PyExc_RuntimeError, ".tolist() is not supported for tensor subclasses, got %s", Py_TYPE(self)->tp_name);
    mt_tensor_info info = info_of(self);
    if (info.device.type == MT_CPU && info.layout == MT_STRIDED && info.numel && storage_bytes(handle(self)) == 0)
      raise(PyExc_RuntimeError, "tolist() shouldn't be called on a tensor with unallocated storage");
    Handle plain = copy_values_to_plain_cpu_tensor(handle(self));
    info = info_of(plain.get());
    if (info.dtype == MT_FLOAT16 || info.dtype == MT_BFLOAT16 || (is_floating(info.dtype) && mt_dtype_size(info.dtype) == 1)) {
      plain = copy_to_dtype(plain.get(), MT_FLOAT32);
    } else if (info.dtype == MT_COMPLEX32) {
      plain = copy_to_dtype(plain.get(), MT_COMPLEX64);
    }
    info = info_of(plain.get());
    check_bounds(plain.get(), info);
    const void* data = nullptr;
    check(mt_tensor_const_data(plain.get(), &data));
    return make_nested_list(static_cast<const char*>(data), info, 0);
  });
}

// ---- Python numbers: the dunders --------------------------------------------------------------------------------------

void expect_one_element(PyObject* self) {
  if (info_of(self).numel != 1) raise(PyExc_ValueError, "only one element tensors can be converted to Python scalars");
}
PyObject* to_bool(PyObject* self, PyObject*) {
  return method(self, "__bool__", nullptr, 0, nullptr, [&] {
    int64_t numel = info_of(self).numel;
    if (numel == 0) raise(PyExc_RuntimeError, "Boolean value of Tensor with no values is ambiguous");
    if (numel > 1) raise(PyExc_RuntimeError, "Boolean value of Tensor with more than one value is ambiguous");
    refuse_batched(self, PyExc_RuntimeError,
                   "vmap: It looks like you're attempting to use a Tensor in some data-dependent control flow. We don't support that yet, "
                   "please file an issue at https://github.com/pytorch/pytorch/issues .");
    mt_value v = item_value(self);
    bool truth = v.tag == MT_TAG_DOUBLE ? v.as.d != 0 : v.tag == MT_TAG_COMPLEX ? v.as.c[0] != 0 || v.as.c[1] != 0 : v.as.i != 0;
    return PyBool_FromLong(truth);
  });
}
void warn_requires_grad(PyObject* self) {
  static bool given = false;
  if (!records_gradients() || !(info_of(self).flags & MT_TENSOR_REQUIRES_GRAD) || !is_due(given)) return;
  warn(PyExc_UserWarning,
       "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\n"
       "Consider using tensor.detach() first.");
}
PyObject* to_float(PyObject* self, PyObject*) {
  return method(self, "__float__", nullptr, 0, nullptr, [&] {
    expect_one_element(self);
    warn_requires_grad(self);
    mt_value v = item_value(self);
    if (v.tag == MT_TAG_COMPLEX) {
      if (v.as.c[1] != 0) raise(PyExc_RuntimeError, "value cannot be converted to type double without overflow");
      return PyFloat_FromDouble(v.as.c[0]);
    }
    Ref number = own(number_object(v));
    return own(PyNumber_Float(number.get())).release();
  });
}
PyObject* to_int(PyObject* self, PyObject*) {
  return method(self, "__int__", nullptr, 0, nullptr, [&] {
    expect_one_element(self);
    mt_value v = item_value(self);
    if (v.tag == MT_TAG_COMPLEX) {
      if (v.as.c[1] != 0) raise(PyExc_RuntimeError, "value cannot be converted to type int64_t without overflow");
      return PyLong_FromDouble(v.as.c[0]);
    }
    if (v.tag == MT_TAG_DOUBLE) return own(PyLong_FromDouble(v.as.d)).release();
    Ref number = own(number_object(v));
    return own(PyNumber_Long(number.get())).release();
  });
}
PyObject* to_complex(PyObject* self, PyObject*) {
  return method(self, "__complex__", nullptr, 0, nullptr, [&]() -> PyObject* {
    expect_one_element(self);
    warn_requires_grad(self);
    mt_value v = item_value(self);
    if (v.tag == MT_TAG_COMPLEX) return PyComplex_FromDoubles(v.as.c[0], v.as.c[1]);
    return PyComplex_FromDoubles(v.tag == MT_TAG_DOUBLE ? v.as.d : static_cast<double>(v.as.i), 0);
  });
}
PyObject* to_index(PyObject* self, PyObject*) {
  return method(self, "__index__", nullptr, 0, nullptr, [&] {
    mt_tensor_info info = info_of(self);
    if (info.numel != 1 || !is_integral(info.dtype, /*include_bool=*/true)) {
      raise(PyExc_TypeError, "only integer tensors of a single element can be converted to an index");
    }
    Ref number = own(number_object(item_value(self)));
    return own(PyNumber_Long(number.get())).release();
  });
}

PyObject* bitwise_invert(PyObject* self, PyObject*) {
  return method(self, "__invert__", nullptr, 0, nullptr, [&] {
    if (!is_integral(info_of(self).dtype, /*include_bool=*/true)) {
      raise(PyExc_TypeError, "~ (operator.invert) is only implemented on integer and Boolean-type tensors");
    }
    mt_value args[1] = {tensor_value(handle(self))};
    return wrap(call_for_tensor(find_op("bitwise_not", ""), args, 1));
  });
}

// ---- autograd -----------------------------------------------------------------------------------------------------------

PyObject* requires_grad_(PyObject* self, PyObject* const* values, Py_ssize_t n, PyObject* names) {
  return method_of_arguments(self, "requires_grad_", values, n, names, [&] {
    static const Parser parser("requires_grad_", {"requires_grad_(bool requires_grad=True)"});
    if (in_function_transform()) {
      raise(PyExc_RuntimeError,
            "You are attempting to call Tensor.requires_grad_() (or perhaps using torch.autograd.functional.* APIs) inside of a function "
            "being "
            "transformed by a functorch transform. This is unsupported, please attempt to use the functorch transforms (e.g. grad, vjp, "
            "jacrev, "
            "jacfwd, hessian) or call requires_grad_() outside of a function being transformed instead.");
    }
    auto parsed = parser.parse({self, values, n, names});
    bool on = parsed.flag(0, true);
    mt_tensor_info info = info_of(self);
    if (!on && !(info.flags & MT_TENSOR_IS_LEAF)) {
      raise(PyExc_RuntimeError,
            "you can only change requires_grad flags of leaf variables. If you want to use a computed variable in a subgraph "
            "that doesn't require differentiation use var_no_grad = var.detach().");
    }
    if (on && !is_floating(info.dtype) && !is_complex(info.dtype)) {
      raise(PyExc_RuntimeError, "only Tensors of floating point dtype can require gradients");
    }
    check(mt_tensor_set_requires_grad(handle(self), on));
    return incref(self);
  });
}
PyObject* retain_grad(PyObject* self, PyObject*) {
  return method(self, "retain_grad", nullptr, 0, nullptr, [&] {
    check(mt_tensor_retain_grad(handle(self)));
    return incref(Py_None);
  });
}
PyObject* detach_(PyObject* self, PyObject*) {
  return method(self, "detach_", nullptr, 0, nullptr, [&] {
    check(mt_tensor_detach_inplace(handle(self)));
    return incref(self);
  });
}

// ---- elementwise Python functions ----------------------------------------------------------------------------------------

// Visits all elements of tensors of one shape, in order.
template <class F>
void for_each_element(const std::vector<mt_tensor_info>& infos, std::vector<char*> data, F&& body) {
  const mt_tensor_info& first = infos[0];
  std::vector<int64_t> at(static_cast<size_t>(first.ndim), 0);
  for (int64_t i = 0; i < first.numel; ++i) {
    body(data);
    for (int64_t d = first.ndim - 1; d >= 0; --d) {
      auto u = static_cast<size_t>(d);
      bool carry = ++at[u] == first.sizes[d];
      for (size_t k = 0; k < infos.size(); ++k) {
        data[k] += infos[k].strides[d] * mt_dtype_size(infos[k].dtype) * (carry ? 1 - first.sizes[d] : 1);
      }
      if (!carry) break;
      at[u] = 0;
    }
  }
}

void check_map_operand(PyObject* self, PyObject* other, const char* name, const char* argument) {
  const mt_tensor_info mine = info_of(self), theirs = info_of(other);
  if (theirs.flags & MT_TENSOR_REQUIRES_GRAD)
    raise(PyExc_RuntimeError, "Can't call %s() on Variable that requires grad. Use var.detach().%s() instead.", name, name);
  if (theirs.dtype != mine.dtype || theirs.device.type != mine.device.type || theirs.layout != mine.layout)
    raise(PyExc_TypeError, "%s: expected %s for %s (got %s)", name, legacy_type_name(mine.dtype, mine.device, mine.layout).c_str(),
          argument, legacy_type_name(theirs.dtype, theirs.device, theirs.layout).c_str());
}

// `args`: the other tensors, then the function.
PyObject* map_elements(PyObject* self, PyObject* const* args, Py_ssize_t n_others, const char* name) {
  return guarded([&] {
    PyObject* function = args[n_others];
    if (info_of(self).device.type == MT_NPU) raise(PyExc_TypeError, "%s is only implemented on CPU tensors", name);
    std::vector<Handle> tensors = {Handle::borrow(handle(self))};
    if (info_of(self).flags & MT_TENSOR_REQUIRES_GRAD) {
      raise(PyExc_RuntimeError, "Can't call %s() on Variable that requires grad. Use var.detach().%s() instead.", name, name);
    }
    for (Py_ssize_t i = 0; i < n_others; ++i)
      check_map_operand(self, args[i], name, n_others == 1 ? "'other'" : i ? "argument 'y'" : "argument 'x'");
    for (Py_ssize_t i = 0; i < n_others; ++i) {
      PyObject* other = args[i];
      mt_tensor_info info = info_of(self);
      mt_value values[2] = {tensor_value(handle(other)), list_value(MT_TAG_INTS, info.sizes, info.ndim)};
      tensors.push_back(call_for_tensor(find_op("expand", ""), values, 2));
    }
    std::vector<mt_tensor_info> infos;
    std::vector<char*> data;
    for (auto& tensor : tensors) {
      infos.push_back(info_of(tensor.get()));
      check_bounds(tensor.get(), infos.back());
      void* pointer = nullptr;
      check(mt_tensor_data(tensor.get(), &pointer));
      data.push_back(static_cast<char*>(pointer));
    }
    for_each_element(infos, data, [&](const std::vector<char*>& at) {
      Ref values = own(PyTuple_New(n_others + 1));
      for (Py_ssize_t i = 0; i <= n_others; ++i) {
        PyTuple_SET_ITEM(values.get(), i, own(read_scalar_at(at[static_cast<size_t>(i)], infos[static_cast<size_t>(i)].dtype)).release());
      }
      Ref result = own(PyObject_Call(function, values.get(), nullptr));
      store_number(at[0], infos[0].dtype, result.get());
    });
    return incref(self);
  });
}
PyObject* apply_(PyObject* self, PyObject* function) { return map_elements(self, &function, 0, "apply_"); }
PyObject* map_(PyObject* self, PyObject* const* values, Py_ssize_t n, PyObject* names) {
  return method(self, "map_", values, n, names, [&] {
    static const Parser parser("map_", {"map_(Tensor other, object callable)"});
    return map_elements(self, parser.parse({self, values, n, names}).match.objects, 1, "map_");
  });
}
PyObject* map2_(PyObject* self, PyObject* const* values, Py_ssize_t n, PyObject* names) {
  return method(self, "map2_", values, n, names, [&] {
    static const Parser parser("map2_", {"map2_(Tensor x, Tensor y, object callable)"});
    return map_elements(self, parser.parse({self, values, n, names}).match.objects, 2, "map2_");
  });
}

constexpr int with_names = METH_FASTCALL | METH_KEYWORDS;

}  // namespace

PyObject* shape_of(PyObject* self) {
  if (PyObject* answer = answer_of_dispatch(self, asked_sizes, "size")) return answer;
  mt_tensor_info info = info_of(self);
  return size_object({info.sizes, static_cast<size_t>(info.ndim)});
}
PyObject* ask_dispatch(PyObject* self, const char* name, PyObject* argument) {
  Ref function = import_from_root("_asked_properties", name);
  Ref answer = own(PyObject_CallFunctionObjArgs(function.get(), self, argument, nullptr));
  return answer.get() == Py_NotImplemented ? nullptr : answer.release();
}

Py_ssize_t tensor_length(PyObject* self) {
  int64_t n = -1;
  guarded_int([&] {
    if (Ref answer(answer_of_dispatch(self, asked_sizes, "length")); answer.get()) {
      n = PyLong_AsSsize_t(answer.get());
      expect(n >= 0);
      return 0;
    }
    mt_tensor_info info = info_of(self);
    if (info.ndim == 0) raise(PyExc_TypeError, "len() of a 0-d tensor");
    n = info.sizes[0];
    return 0;
  });
  return n;
}

PyMethodDef tensor_methods[] = {{"size", fast(size), with_names, nullptr},
                                {"stride", fast(stride), with_names, nullptr},
                                {"dim", dim, METH_NOARGS, nullptr},
                                {"ndimension", dim, METH_NOARGS, nullptr},
                                {"numel", numel, METH_NOARGS, nullptr},
                                {"nelement", numel, METH_NOARGS, nullptr},
                                {"element_size", element_size, METH_NOARGS, nullptr},
                                {"storage_offset", storage_offset, METH_NOARGS, nullptr},
                                {"get_device", get_device, METH_NOARGS, nullptr},
                                {"data_ptr", data_ptr, METH_NOARGS, nullptr},
                                {"is_contiguous", fast(is_contiguous), with_names, nullptr},
                                {"_is_view", is_view, METH_NOARGS, "Whether the tensor is a view for autograd."},
                                {"_use_count", use_count, METH_NOARGS, "How many owners the C handle has."},
                                {"_fix_weakref", fix_weakref, METH_NOARGS, "Returns the tensor."},
                                {"untyped_storage", untyped_storage, METH_NOARGS, nullptr},
                                {"item", item, METH_NOARGS, nullptr},
                                {"tolist", tolist, METH_NOARGS, nullptr},
                                {"__bool__", to_bool, METH_NOARGS, "Whether the only element is not 0."},
                                {"__nonzero__", to_bool, METH_NOARGS, "Whether the only element is not 0."},
                                {"is_nonzero", to_bool, METH_NOARGS, nullptr},
                                {"is_inference", is_inference, METH_NOARGS, nullptr},
                                {"__float__", to_float, METH_NOARGS, "The only element as a number; other counts raise."},
                                {"__int__", to_int, METH_NOARGS, "The only element as a number; other counts raise."},
                                {"__long__", to_int, METH_NOARGS, "The only element as a number; other counts raise."},
                                {"__complex__", to_complex, METH_NOARGS, "The only element as a number; other counts raise."},
                                {"__index__", to_index, METH_NOARGS, "The only element as a number; other counts raise."},
                                {"__invert__", bitwise_invert, METH_NOARGS, "bitwise_not()."},
                                {"requires_grad_", fast(requires_grad_), with_names, nullptr},
                                {"retain_grad", retain_grad, METH_NOARGS, nullptr},
                                {"detach_", detach_, METH_NOARGS, nullptr},
                                {"apply_", apply_, METH_O, nullptr},
                                {"map_", fast(map_), with_names, nullptr},
                                {"map2_", fast(map2_), with_names, nullptr},
                                {nullptr, nullptr, 0, nullptr}};

}  // namespace mt::py
