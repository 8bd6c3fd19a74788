// Functions that make tensors from foreign data: tensor, as_tensor, from_numpy, frombuffer, asarray; and other functions of the root
// namespace that take more than tensors.
#include <cstring>
#include <map>
#include <set>
#include <string>

#include "creation.h"
#include "documentation.h"
#include "tensor_types.h"

namespace mt::py {

PyObject* finish(Handle tensor, bool requires_grad) {
  if (requires_grad) {
    int32_t dtype = info_of(tensor.get()).dtype;
    if (!is_floating(dtype) && !is_complex(dtype)) {
      raise(PyExc_RuntimeError, "Only Tensors of floating point and complex dtype can require gradients");
    }
    check(mt_tensor_set_requires_grad(tensor.get(), 1));
  }
  return wrap(std::move(tensor));
}

namespace {

PyObject* tensor(PyObject*, PyObject* const* values, Py_ssize_t n, PyObject* names) {
  static const Parser parser(
      "tensor", {"tensor(object data, *, ScalarType dtype=None, Device? device=None, bool pin_memory=False, bool requires_grad=False)"});
  return function(parser, values, n, names, [&](auto& parsed) {
    PyObject* data = parsed.object(0);
    if (is_tensor(data)) {
      warn(PyExc_UserWarning,
           "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
           "sourceTensor.detach().clone().requires_grad_(True), rather than torch.tensor(sourceTensor).");
    }
    Place place = place_of(parsed, 2);
    if (parsed.flag(3) && (!place.get() || place.get()->type == MT_CPU)) {
      raise(PyExc_RuntimeError,
            "pin_memory=True requires a CUDA or other accelerator backend; no pinned memory allocator is available on this system.");
    }
    return finish(tensor_from_data(data, parsed.dtype(1), place.get()), parsed.flag(4));
  });
}

// Shares memory where possible: with tensors and arrays.
PyObject* share_memory_or_copy(PyObject* data, int32_t dtype, const mt_device* device) {
  if (is_tensor(data)) return convert_tensor(data, dtype, device, false, false, -1);
  if (is_numpy_array(data)) {
    Ref shared = own(wrap(record_fresh_tensor(tensor_from_numpy(data, /*warn_if_not_writable=*/true))));
    return convert_tensor(shared.get(), dtype, device, false, false, -1);
  }
  return wrap(tensor_from_data(data, dtype, device));
}
PyObject* as_tensor(PyObject*, PyObject* const* values, Py_ssize_t n, PyObject* names) {
  static const Parser parser("as_tensor", {"as_tensor(object data, *, ScalarType dtype=None, Device? device=None)"});
  // torch accepts dtype and device by position, though it does not print its signature that way.
  return function(parser, values, n, names, [&](auto& parsed) {
    Place place = place_of(parsed, 2);
    return share_memory_or_copy(parsed.object(0), parsed.dtype(1), place.get());
  });
}
PyObject* from_numpy(PyObject*, PyObject* array) {
  return guarded([&] { return wrap(record_fresh_tensor(tensor_from_numpy(array, /*warn_if_not_writable=*/true))); });
}

Handle tensor_over_buffer(PyObject* buffer, int32_t dtype, Py_ssize_t count, Py_ssize_t offset, bool warns) {
  Py_buffer view;
  bool writable = PyObject_GetBuffer(buffer, &view, PyBUF_WRITABLE) == 0;
  if (!writable) {
    PyErr_Clear();
    if (!PyObject_CheckBuffer(buffer)) raise(PyExc_ValueError, "object does not implement Python buffer protocol.");
    if (PyObject_GetBuffer(buffer, &view, PyBUF_SIMPLE) < 0) {
      PyErr_Clear();
      raise(PyExc_RuntimeError, "could not retrieve buffer from object");
    }
  }
  Py_ssize_t size = view.len, width = mt_dtype_size(dtype);
  void* memory = view.buf;
  PyBuffer_Release(&view);  // the tensor keeps the exporter itself alive, as in torch
  if (size == 0 || count == 0) {
    raise(PyExc_ValueError, "both buffer length (%zd) and count (%zd) must not be 0", size, count);
  }
  if (offset < 0 || offset >= size) {
    raise(PyExc_ValueError, "offset (%zd bytes) must be non-negative and no greater than buffer length (%zd bytes) minus 1", offset, size);
  }
  if (count < 0 && (size - offset) % width) {
    raise(PyExc_ValueError, "buffer length (%zd bytes) after offset (%zd bytes) must be a multiple of element size (%zd)", size - offset,
          offset, width);
  }
  int64_t n = count < 0 ? (size - offset) / width : count;
  if (offset + n * width > size) {
    raise(PyExc_ValueError,
          "requested buffer length (%lld * %zd bytes) after offset (%zd bytes) must not be greater than actual buffer length (%zd bytes)",
          static_cast<long long>(n), width, offset, size);
  }
  static bool given = false;
  if (!writable && warns && is_due(given)) {
    warn(PyExc_UserWarning,
         "The given buffer is not writable, and PyTorch does not support non-writable tensors. This means you can write to the "
         "underlying (supposedly non-writable) buffer using the tensor. You may want to copy the buffer to protect its data or "
         "make it writable before converting it to a tensor. This type of warning will be suppressed for the rest of this program.");
  }
  Handle result;
  hold_foreign(buffer);
  mt_status* status = mt_tensor_from_data(static_cast<char*>(memory) + offset, &n, nullptr, 1, dtype, {MT_CPU, -1}, drop_foreign, buffer,
                                          result.out());
  if (status) drop_foreign(buffer);
  check(status);
  return result;
}
PyObject* frombuffer(PyObject*, PyObject* const* values, Py_ssize_t n, PyObject* names) {
  static const Parser parser("frombuffer",
                             {"frombuffer(object buffer, *, ScalarType dtype, int count=-1, int offset=0, bool requires_grad=False)"});
  return function(parser, values, n, names, [&](auto& parsed) {
    return finish(tensor_over_buffer(parsed.object(0), parsed.dtype(1), parsed.integer(2, -1), parsed.integer(3, 0), /*warns=*/true),
                  parsed.flag(4));
  });
}

}  // namespace

Handle tensor_over_storage(PyObject* object, int32_t dtype) {
  int32_t typed = -1;
  mt_storage* storage = to_storage(object, &typed);
  if (typed >= 0 && dtype >= 0 && typed != dtype)
    raise(PyExc_RuntimeError, "Expected a Storage of type %s or an UntypedStorage, but got %s", scalar_type_name(dtype),
          scalar_type_name(typed));
  const int32_t code = typed >= 0 ? typed : dtype >= 0 ? dtype : static_cast<int32_t>(MT_INT64);
  int64_t bytes = 0;
  check(mt_storage_nbytes(storage, &bytes));
  int64_t n = bytes / mt_dtype_size(code);
  Handle result;
  check(mt_tensor_from_storage(storage, &n, nullptr, 1, 0, code, result.out()));
  return result;
}

namespace {

// Returns a tensor over the memory of an object; empty for an object whose memory cannot be shared.
Ref share_memory_of(PyObject* data, int32_t dtype, bool must_copy) {
  if (is_tensor(data)) return Ref::borrow(data);
  if (is_numpy_array(data)) return Ref(wrap(record_fresh_tensor(tensor_from_numpy(data, !must_copy))));
  if (is_storage(data)) return Ref(wrap(tensor_over_storage(data, dtype)));
  if (PyCapsule_CheckExact(data) || PyObject_HasAttrString(data, "__dlpack__")) {
    Ref convert = import_from_root("utils.dlpack", "from_dlpack");
    return own(PyObject_CallOneArg(convert.get(), data));
  }
  if (PyObject_CheckBuffer(data) && !PyUnicode_Check(data))
    return Ref(wrap(tensor_over_buffer(data, dtype >= 0 ? dtype : mt_default_dtype_get(), -1, 0, /*warns=*/false)));
  return Ref();
}

[[noreturn]] void raise_cannot_alias(const mt_tensor_info& info, int32_t dtype, const Place& place) {
  if (!is_on(info, place.get())) {
    Ref from_device = own(device_object(info.device)), to_device = own(device_object(place.device));
    Ref from = own(PyObject_Str(from_device.get())), to = own(PyObject_Str(to_device.get()));
    raise(PyExc_ValueError, "can't alias tensor from device '%s' to '%s'.", PyUnicode_AsUTF8(from.get()), PyUnicode_AsUTF8(to.get()));
  }
  raise(PyExc_ValueError, "can't alias tensor with dtype '%s' into dtype '%s'.", scalar_type_name(info.dtype), scalar_type_name(dtype));
}

// Returns the tensor, or an alias of it, that requires a gradient or not.
PyObject* with_requires_grad(Ref tensor, bool requires_grad) {
  const int32_t flags = info_of(tensor.get()).flags;
  if (requires_grad == static_cast<bool>(flags & MT_TENSOR_REQUIRES_GRAD)) return tensor.release();
  if (requires_grad || flags & MT_TENSOR_IS_LEAF) {  // as torch: a leaf itself stops being one that requires grad
    check(mt_tensor_set_requires_grad(handle(tensor.get()), requires_grad));
    return tensor.release();
  }
  Handle detached;
  check(mt_tensor_alias(handle(tensor.get()), 1, detached.out()));
  return wrap(std::move(detached));
}

PyObject* asarray(PyObject*, PyObject* const* values, Py_ssize_t n, PyObject* names) {
  static const Parser parser(
      "asarray", {"asarray(object obj, *, ScalarType? dtype=None, Device? device=None, bool? copy=None, bool? requires_grad=None)"});
  return function(parser, values, n, names, [&](auto& parsed) -> PyObject* {
    PyObject* data = parsed.object(0);
    const bool is_grad_given = parsed.has(4) && parsed.object(4) != Py_None;
    const bool has_grad = is_tensor(data) && info_of(data).flags & MT_TENSOR_REQUIRES_GRAD;
    const bool wants_grad = is_grad_given ? parsed.flag(4) : has_grad;
    static bool warned = false;
    if (has_grad && !is_grad_given && is_due(warned))
      warn(PyExc_UserWarning,
           "torch.asarray: unspecified requires_grad now defaults to obj.requires_grad instead of False. Pass requires_grad=False "
           "explicitly to get the old behavior and silence this warning.");
    Place place = place_of(parsed, 2);
    int32_t dtype = parsed.dtype(1);
    bool copy_given = parsed.has(3) && parsed.object(3) != Py_None;
    bool must_copy = copy_given && parsed.flag(3), must_share = copy_given && !parsed.flag(3);
    Ref shared = share_memory_of(data, dtype, must_copy);
    if (!shared) {
      if (must_share) raise(PyExc_ValueError, "can't alias arbitrary sequence into a tensor.");
      return finish(tensor_from_data(data, dtype, place.get()), wants_grad);
    }
    mt_tensor_info info = info_of(shared.get());
    bool differs = (dtype >= 0 && dtype != info.dtype) || !is_on(info, place.get());
    if (must_share && differs) raise_cannot_alias(info, dtype, place);
    if (differs) {
      shared = own(convert_tensor(shared.get(), dtype, place.get(), false, true, -1));
    } else if (must_copy) {
      const mt_value source = tensor_value(handle(shared.get()));
      shared = own(wrap(call_for_tensor(find_op("clone", ""), &source, 1)));
    }
    return with_requires_grad(std::move(shared), wants_grad);
  });
}

PyObject* numel(PyObject*, PyObject* const* values, Py_ssize_t n, PyObject* names) {
  static const Parser parser("numel", {"numel(Tensor input)"});
  return function(parser, values, n, names, [&](auto& parsed) { return PyLong_FromLongLong(info_of(parsed.object(0)).numel); });
}
PyObject* get_device(PyObject*, PyObject* const* values, Py_ssize_t n, PyObject* names) {
  static const Parser parser("get_device", {"get_device(Tensor input)"});
  return function(parser, values, n, names, [&](auto& parsed) { return PyLong_FromLong(info_of(parsed.object(0)).device.index); });
}
PyObject* is_inference(PyObject*, PyObject* const* values, Py_ssize_t n, PyObject* names) {
  static const Parser parser("is_inference", {"is_inference(Tensor input)"});
  return function(parser, values, n, names,
                  [&](auto& parsed) { return PyBool_FromLong((info_of(parsed.object(0)).flags & MT_TENSOR_IS_INFERENCE) != 0); });
}
PyObject* is_nonzero(PyObject*, PyObject* const* values, Py_ssize_t n, PyObject* names) {
  static const Parser parser("is_nonzero", {"is_nonzero(Tensor input)"});
  return function(parser, values, n, names,
                  [&](auto& parsed) { return own(PyObject_CallMethod(parsed.object(0), "__bool__", nullptr)).release(); });
}
PyObject* nonzero(PyObject*, PyObject* const* values, Py_ssize_t n, PyObject* names) {
  static const Parser parser("nonzero", {"nonzero(Tensor input, *, bool as_tuple=False, Tensor out=None)"});
  return function(parser, values, n, names, [&](auto& parsed) -> PyObject* {
    if (!parsed.has(2) || parsed.object(2) == Py_None)
      return nonzero_function(parsed.object(0), parsed.has(1) ? parsed.object(1) : nullptr);
    if (parsed.flag(1)) raise(PyExc_RuntimeError, "nonzero does not support the out kwarg when as_tuple is True");
    mt_value args[2] = {tensor_value(handle(parsed.object(0))), tensor_value(handle(parsed.object(2)))};
    Results results;
    call(find_op("nonzero", "out"), args, 2, results);
    return incref(parsed.object(2));
  });
}

// The names of factories, for `with torch.device(...)`: every overload takes a device (overloads of normal that take tensors do not), and
// one overload takes no tensor.
PyObject* list_factory_names(PyObject*, PyObject*) {
  return guarded([&] {
    std::map<std::string, bool> is_factory;
    std::set<std::string> of_no_tensor;
    for (int64_t i = 0; i < mt_op_count(); ++i) {
      mt_op_info info = info_of(mt_op_at(i));
      if (!(info.forms & MT_FORM_FUNCTION)) continue;
      bool has_device = false, has_out = false, has_tensor = false;
      for (int32_t a = 0; a < info.n_args; ++a) {
        mt_arg_info arg = argument_of(mt_op_at(i), a);
        has_device |= !strcmp(arg.type, "Device?");
        has_out |= arg.mutated != 0;
        has_tensor |= (a == 0 && !strncmp(arg.type, "Tensor", 6)) || !strcmp(arg.type, "str");  // from_file's data exists already
      }
      if (has_out) continue;
      is_factory.emplace(info.base_name, true).first->second &= has_device;
      if (!has_tensor) of_no_tensor.insert(info.base_name);
    }
    Ref names = own(PyList_New(0));
    for (auto& [name, factory] : is_factory) {
      if (!factory || !of_no_tensor.contains(name)) continue;
      Ref text = own(PyUnicode_FromString(name.c_str()));
      expect_zero(PyList_Append(names.get(), text.get()));
    }
    return own(PySequence_Tuple(names.get())).release();
  });
}

constexpr int with_names = METH_FASTCALL | METH_KEYWORDS;
PyMethodDef functions[] = {{"tensor", fast(tensor), with_names, nullptr},
                           {"as_tensor", fast(as_tensor), with_names, nullptr},
                           {"from_numpy", from_numpy, METH_O, nullptr},
                           {"frombuffer", fast(frombuffer), with_names, nullptr},
                           {"asarray", fast(asarray), with_names, nullptr},
                           {"numel", fast(numel), with_names, nullptr},
                           {"get_device", fast(get_device), with_names, nullptr},
                           {"is_inference", fast(is_inference), with_names, nullptr},
                           {"is_nonzero", fast(is_nonzero), with_names, nullptr},
                           {"nonzero", fast(nonzero), with_names, nullptr},
                           {nullptr, nullptr, 0, nullptr}};
PyMethodDef module_functions[] = {{"_mt_factory_names", list_factory_names, METH_NOARGS, nullptr}, {nullptr, nullptr, 0, nullptr}};

}  // namespace

void add_root_functions(PyObject* module, PyMethodDef* functions) {
  add_documentation(functions, "torch");
  auto* type = reinterpret_cast<PyTypeObject*>(PyDict_GetItemString(PyModule_GetDict(module), "_VariableFunctionsClass"));
  Ref torch_name = own(PyUnicode_FromString("torch"));
  for (PyMethodDef* definition = functions; definition->ml_name; ++definition) {
    Ref function = own(PyCFunction_NewEx(definition, reinterpret_cast<PyObject*>(type), torch_name.get()));
    Ref static_method = own(PyStaticMethod_New(function.get()));
    expect_zero(PyDict_SetItemString(type->tp_dict, definition->ml_name, static_method.get()));
  }
  PyType_Modified(type);
}

void init_creation(PyObject* module) {
  add_root_functions(module, functions);
  init_sparse_creation(module);
  expect_zero(PyModule_AddFunctions(module, module_functions));
  add_parse_to(PyDict_GetItemString(PyModule_GetDict(module), "_nn"));
}

}  // namespace mt::py
