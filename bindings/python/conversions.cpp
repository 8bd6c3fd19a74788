// Methods that change dtype, device or layout: to(), float(), cpu(), type(), contiguous(), copy_(), numpy().

#include "methods.h"
#include "operators.h"
#include "stream.h"
#include "tensor_types.h"
#include "types.h"

namespace mt::py {

Handle copy_to_dtype(mt_tensor* tensor, int32_t dtype) {
  mt_value args[2] = {tensor_value(tensor), dtype_value(dtype)};
  return call_for_tensor(find_op("_to_copy", ""), args, 2);
}

Handle copy_values_to_plain_cpu_tensor(mt_tensor* tensor) {
  mt_tensor_info info = info_of(tensor);
  Handle result = Handle::borrow(tensor);
  if (info.device.type != MT_CPU) {
    mt_value args[5] = {tensor_value(tensor), none_value(), none_value(), device_value({MT_CPU, -1}), none_value()};
    result = call_for_tensor(find_op("_to_copy", ""), args, 4);
  }
  for (auto [flag, name] : {std::pair{MT_TENSOR_IS_CONJ, "resolve_conj"}, std::pair{MT_TENSOR_IS_NEG, "resolve_neg"}}) {
    if (!(info.flags & flag)) continue;
    mt_value args[1] = {tensor_value(result.get())};
    result = call_for_tensor(find_op(name, ""), args, 1);
  }
  return result;
}

bool is_on(const mt_tensor_info& info, const mt_device* device) {
  if (!device) return true;
  if (device->type != info.device.type) return false;
  if (device->type == MT_NPU) return npu_index(*device) == info.device.index;
  return device->index < 0 || device->index == info.device.index;
}

PyObject* convert_tensor(PyObject* self, int32_t dtype, const mt_device* device, bool non_blocking, bool copy, int32_t format) {
  mt_tensor_info info = info_of(self);
  bool same_dtype = dtype < 0 || dtype == info.dtype;
  const bool may_be_same = same_dtype && is_on(info, device) && !copy;
  if (may_be_same && (format < 0 || format == MT_PRESERVE_FORMAT)) return incref(self);
  mt_value args[8] = {tensor_value(handle(self)), dtype_value(dtype), none_value(), none_value(), none_value(), bool_value(non_blocking)};
  int n = 6;
  if (device) args[3] = device_value(*device);
  if (may_be_same) args[n++] = bool_value(false);
  args[n] = none_value();
  if (format >= 0) {
    args[n].tag = MT_TAG_MEMORY_FORMAT;
    args[n].as.i = format;
  }
  Results results;
  call(may_be_same ? find_op("to", "dtype_layout") : find_op("_to_copy", ""), args, n + 1, results);
  return to_python(results.values[0]);
}

namespace {

const Parser& to_parser() {
  static const Parser parser(
      "to", {"to(Device device=None, ScalarType dtype=None, bool non_blocking=False, bool copy=False, *, MemoryFormat? memory_format=None)",
             "to(ScalarType dtype, bool non_blocking=False, bool copy=False, *, MemoryFormat? memory_format=None)",
             "to(Tensor tensor, bool non_blocking=False, bool copy=False, *, MemoryFormat? memory_format=None)"});
  return parser;
}

struct Target {
  bool has_device = false;
  mt_device device{};
  int32_t dtype = -1;
  bool non_blocking = false, copy = false;
  int32_t format = -1;
};

Target parse_target(const Arguments& arguments) {
  auto parsed = to_parser().parse(arguments);
  Target t;
  int flags = parsed.index == 0 ? 2 : 1;
  if (parsed.index == 0) {
    if (parsed.has(0) && parsed.object(0) != Py_None) t.has_device = true, t.device = to_device(parsed.object(0));
    t.dtype = parsed.dtype(1);
  } else if (parsed.index == 1) {
    t.dtype = parsed.dtype(0);
  } else {
    mt_tensor_info info = info_of(parsed.object(0));
    t.has_device = true;
    t.device = info.device;
    t.dtype = info.dtype;
  }
  t.non_blocking = parsed.flag(flags);
  t.copy = parsed.flag(flags + 1);
  if (parsed.has(flags + 2) && parsed.object(flags + 2) != Py_None) t.format = memory_format_code(parsed.object(flags + 2));
  return t;
}

PyObject* to(PyObject* self, PyObject* const* values, Py_ssize_t n, PyObject* names) {
  return method_of_arguments(self, "to", values, n, names, [&] {
    Target t = parse_target({self, values, n, names});
    return convert_tensor(self, t.dtype, t.has_device ? &t.device : nullptr, t.non_blocking, t.copy, t.format);
  });
}

PyObject* parse_to(PyObject*, PyObject* const* values, Py_ssize_t n, PyObject* names) {
  return guarded([&] {
    Target t = parse_target({nullptr, values, n, names});
    Ref device = own(t.has_device ? device_object(t.device) : incref(Py_None));
    Ref dtype = own(t.dtype >= 0 ? dtype_object(t.dtype) : incref(Py_None));
    Ref format = own(t.format >= 0 ? memory_format_object(t.format) : incref(Py_None));
    return PyTuple_Pack(4, device.get(), dtype.get(), t.non_blocking ? Py_True : Py_False, format.get());
  });
}

struct Cast {
  const char* name;
  int32_t dtype;
};
constexpr Cast casts[] = {{"float", MT_FLOAT32},  {"double", MT_FLOAT64}, {"half", MT_FLOAT16},     {"bfloat16", MT_BFLOAT16},
                          {"bool", MT_BOOL},      {"byte", MT_UINT8},     {"char", MT_INT8},        {"short", MT_INT16},
                          {"int", MT_INT32},      {"long", MT_INT64},     {"cfloat", MT_COMPLEX64}, {"cdouble", MT_COMPLEX128},
                          {"chalf", MT_COMPLEX32}};
template <int I>
PyObject* cast_to_fixed_dtype(PyObject* self, PyObject* const* values, Py_ssize_t n, PyObject* names) {
  return method(self, casts[I].name, values, n, names, [&] {
    static const Parser parser(casts[I].name, {"(*, MemoryFormat? memory_format=None)"});
    auto parsed = parser.parse({self, values, n, names});
    int32_t format = parsed.has(0) && parsed.object(0) != Py_None ? memory_format_code(parsed.object(0)) : -1;
    return convert_tensor(self, casts[I].dtype, nullptr, false, false, format);
  });
}

PyObject* cpu(PyObject* self, PyObject* const* values, Py_ssize_t n, PyObject* names) {
  return method(self, "cpu", values, n, names, [&] {
    static const Parser parser("cpu", {"cpu(*, MemoryFormat? memory_format=None)"});
    auto parsed = parser.parse({self, values, n, names});
    mt_device device = {MT_CPU, -1};
    int32_t format = parsed.has(0) && parsed.object(0) != Py_None ? memory_format_code(parsed.object(0)) : -1;
    return convert_tensor(self, -1, &device, false, false, format);
  });
}
PyObject* cuda(PyObject* self, PyObject* const* values, Py_ssize_t n, PyObject* names) {
  return method(self, "cuda", values, n, names, [&]() -> PyObject* {
    static const Parser parser("cuda", {"cuda(Device? device=None, bool non_blocking=False, *, MemoryFormat? memory_format=None)",
                                        "cuda(Device? device=None, bool async=False, *, MemoryFormat? memory_format=None)|deprecated"});
    auto parsed = parser.parse({self, values, n, names});
    if (parsed.has(0) && parsed.object(0) != Py_None) to_device(parsed.object(0));  // raises its errors first
    raise(PyExc_AssertionError, "Torch not compiled with CUDA enabled");
  });
}

PyObject* npu(PyObject* self, PyObject* const* values, Py_ssize_t n, PyObject* names) {
  return method(self, "npu", values, n, names, [&]() -> PyObject* {
    static const Parser parser("npu", {"npu(Device? device=None, bool non_blocking=False, *, MemoryFormat? memory_format=None)",
                                       "npu(Device? device=None, bool async=False, *, MemoryFormat? memory_format=None)|deprecated"});
    auto parsed = parser.parse({self, values, n, names});
    mt_device device = {MT_NPU, -1};
    PyObject* given = parsed.has(0) && parsed.object(0) != Py_None ? parsed.object(0) : nullptr;
    if (given) device = to_device(given);
    if (device.type != MT_NPU) raise(PyExc_RuntimeError, "Invalid device, must be npu device");
    if (!npu_count() && !mt_npu_in_bad_fork()) raise(PyExc_AssertionError, "Torch not compiled with NPU enabled");
    int32_t format = parsed.has(2) && parsed.object(2) != Py_None ? memory_format_code(parsed.object(2)) : -1;
    return convert_tensor(self, -1, &device, parsed.flag(1), false, format);
  });
}

// Implements methods such as Tensor.ipu, for device types that no build supports: torch's error message depends on whether a device is
// given.
template <const auto& absent>
PyObject* move_to_unsupported_device(PyObject* self, PyObject* const* values, Py_ssize_t n, PyObject* names) {
  return method(self, absent.name, values, n, names, [&]() -> PyObject* {
    static const std::string start = std::string(absent.name) + "(Device? device=None, bool ";
    static const std::string plain = start + "non_blocking=False, *, MemoryFormat? memory_format=None)";
    static const std::string old = start + "async=False, *, MemoryFormat? memory_format=None)|deprecated";
    static const Parser parser(absent.name, {plain.c_str(), old.c_str()});
    auto parsed = parser.parse({self, values, n, names});
    if (parsed.has(0) && PyLong_Check(parsed.object(0)))
      raise(PyExc_RuntimeError, "Cannot access accelerator device when none is available.");
    raise(absent.kind(), "%s", absent.text);
  });
}
struct Absent {
  const char *name, *text;
  PyObject* (*kind)();
};
constexpr Absent xpu = {"xpu", "Torch not compiled with XPU enabled", [] { return PyExc_AssertionError; }};
constexpr Absent ipu = {"ipu", "PyTorch is not linked with support for ipu devices", [] { return PyExc_RuntimeError; }};
constexpr Absent mtia = {
    "mtia",
    "Torch not compiled with MTIA enabled. Ensure you have `import mtia.host_runtime.torch_mtia.dynamic_library` in your "
    "python src file and include `//mtia/host_runtime/torch_mtia:torch_mtia` as your target dependency!",
    [] { return PyExc_AssertionError; }};

PyObject* contiguous(PyObject* self, PyObject* const* values, Py_ssize_t n, PyObject* names) {
  return method(self, "contiguous", values, n, names, [&] {
    static const Parser parser("contiguous", {"contiguous(*, MemoryFormat memory_format=contiguous_format)"});
    int32_t format = MT_CONTIGUOUS_FORMAT, already = 0;
    if (n || names) {
      auto parsed = parser.parse({self, values, n, names});
      if (parsed.has(0)) format = memory_format_code(parsed.object(0));
    }
    if (format == MT_PRESERVE_FORMAT) raise(PyExc_RuntimeError, "preserve memory format is unsupported by the contiguous operator");
    check(mt_tensor_is_contiguous(handle(self), format, &already));
    if (already) return incref(self);
    mt_value args[2] = {tensor_value(handle(self)), none_value()};
    args[1].tag = MT_TAG_MEMORY_FORMAT;
    args[1].as.i = format;
    Results results;
    call(find_op("clone", ""), args, 2, results);
    return to_python(results.values[0]);
  });
}

PyObject* copy_(PyObject* self, PyObject* const* values, Py_ssize_t n, PyObject* names) {
  return method_of_arguments(self, "copy_", values, n, names, [&] {
    static const Parser parser("copy_",
                               {"copy_(Tensor other, bool non_blocking=False)", "copy_(Tensor other, bool async=False)|deprecated"});
    if (n == 0 && !names) raise_no_match(parser.overloads(), {self, values, n, names});
    if (n >= 1 && !is_tensor(values[0]) && is_number(values[0])) {
      mt_value number = to_number(values[0]);
      Handle scalar;
      check(mt_tensor_from_scalar(&number, -1, 1, scalar.out()));
      mt_value args[2] = {tensor_value(handle(self)), tensor_value(scalar.get())};
      Results results;
      call(find_op("copy_", ""), args, 2, results);
      return incref(self);
    }
    auto parsed = parser.parse({self, values, n, names});
    mt_value args[3] = {tensor_value(handle(self)), tensor_value(handle(parsed.object(0))), bool_value(parsed.flag(1))};
    Results results;
    call(find_op("copy_", ""), args, 3, results);
    return incref(self);
  });
}

PyObject* type(PyObject* self, PyObject* const* values, Py_ssize_t n, PyObject* names) {
  return method(self, "type", values, n, names, [&]() -> PyObject* {
    static const Parser parser("type", {"type(object dtype=None, bool non_blocking=False, *, MemoryFormat? memory_format=None)",
                                        "type(object dtype=None, bool async=False, *, MemoryFormat? memory_format=None)|deprecated"});
    auto parsed = parser.parse({self, values, n, names});
    PyObject* wanted = parsed.has(0) ? parsed.object(0) : Py_None;
    mt_tensor_info info = info_of(self);
    if (wanted == Py_None) return PyUnicode_FromString(legacy_type_name(info.dtype, info.device, info.layout).c_str());
    int32_t dtype = -1;
    mt_device device = info.device;
    if (is_dtype(wanted)) {
      dtype = dtype_code(wanted);
    } else {
      std::string name;
      if (PyUnicode_Check(wanted)) {
        name = PyUnicode_AsUTF8(wanted);
      } else if (PyType_Check(wanted)) {
        Ref text = own(PyObject_GetAttrString(wanted, "__name__")), module = own(PyObject_GetAttrString(wanted, "__module__"));
        const std::string home = PyUnicode_AsUTF8(module.get());
        name = (home == "builtins" ? "" : home + ".") + PyUnicode_AsUTF8(text.get());
      } else if (is_tensor_type(wanted)) {
        name = legacy_type_name(tensor_type_dtype(wanted), tensor_type_device(wanted), tensor_type_layout(wanted));
      } else {
        raise(PyExc_TypeError, "dtype must be a type, str, or dtype object");
      }
      mt_device kind = {MT_CPU, -1};
      dtype = dtype_of_legacy_name(name, &kind);
      if (device.type != kind.type) device = kind;
      if (dtype < 0) raise(PyExc_ValueError, "invalid type: '%s'", name.c_str());
    }
    return convert_tensor(self, dtype, &device, parsed.flag(1), false, -1);
  });
}

PyObject* numpy(PyObject* self, PyObject* const* values, Py_ssize_t n, PyObject* names) {
  return method(self, "numpy", values, n, names, [&] {
    static const Parser parser("numpy", {"numpy(*, bool force=False)"});
    auto parsed = parser.parse({self, values, n, names});
    return to_numpy(self, parsed.flag(0));
  });
}

PyObject* nonzero(PyObject* self, PyObject* const* values, Py_ssize_t n, PyObject* names) {
  return method(self, "nonzero", values, n, names, [&]() -> PyObject* {
    static const Parser parser("nonzero", {"nonzero()", "nonzero(*, bool as_tuple)"});
    auto parsed = parser.parse({self, values, n, names});
    mt_value args[1] = {tensor_value(handle(self))};
    Results results;
    call(find_op("nonzero", ""), args, 1, results);
    if (parsed.index == 0 || !parsed.flag(0)) return to_python(results.values[0]);
    mt_value columns[2] = {results.values[0], int_value(1)};
    if (info_of(self).ndim == 0) {
      // A single number is a size of one dimension.
      mt_value line[2] = {tensor_value(handle(self)), int_value(0)};
      Handle wide = call_for_tensor(find_op("unsqueeze", ""), line, 2);
      Ref object = own(wrap(std::move(wide)));
      return nonzero(object.get(), values, n, names);
    }
    Results parts;
    call(find_op("unbind", "int"), columns, 2, parts);
    return to_python(parts.values[0]);
  });
}

constexpr int with_names = METH_FASTCALL | METH_KEYWORDS;
PyMethodDef parse_to_method[] = {{"_parse_to", fast(parse_to), with_names, nullptr}, {nullptr, nullptr, 0, nullptr}};

}  // namespace

PyObject* nonzero_function(PyObject* self, PyObject* as_tuple) {
  Ref names = own(Py_BuildValue("(s)", "as_tuple"));
  PyObject* values[1] = {as_tuple};
  return nonzero(self, values, 0, as_tuple ? names.get() : nullptr);
}

void add_parse_to(PyObject* nn) { expect_zero(PyModule_AddFunctions(nn, parse_to_method)); }

PyMethodDef tensor_conversion_methods[] = {{"to", fast(to), with_names, nullptr},
                                           {"float", fast(cast_to_fixed_dtype<0>), with_names, nullptr},
                                           {"double", fast(cast_to_fixed_dtype<1>), with_names, nullptr},
                                           {"half", fast(cast_to_fixed_dtype<2>), with_names, nullptr},
                                           {"bfloat16", fast(cast_to_fixed_dtype<3>), with_names, nullptr},
                                           {"bool", fast(cast_to_fixed_dtype<4>), with_names, nullptr},
                                           {"byte", fast(cast_to_fixed_dtype<5>), with_names, nullptr},
                                           {"char", fast(cast_to_fixed_dtype<6>), with_names, nullptr},
                                           {"short", fast(cast_to_fixed_dtype<7>), with_names, nullptr},
                                           {"int", fast(cast_to_fixed_dtype<8>), with_names, nullptr},
                                           {"long", fast(cast_to_fixed_dtype<9>), with_names, nullptr},
                                           {"cfloat", fast(cast_to_fixed_dtype<10>), with_names, nullptr},
                                           {"cdouble", fast(cast_to_fixed_dtype<11>), with_names, nullptr},
                                           {"chalf", fast(cast_to_fixed_dtype<12>), with_names, nullptr},
                                           {"cpu", fast(cpu), with_names, nullptr},
                                           {"cuda", fast(cuda), with_names, nullptr},
                                           {"npu", fast(npu), with_names, nullptr},
                                           {"xpu", fast(move_to_unsupported_device<xpu>), with_names, nullptr},
                                           {"ipu", fast(move_to_unsupported_device<ipu>), with_names, nullptr},
                                           {"mtia", fast(move_to_unsupported_device<mtia>), with_names, nullptr},
                                           {"contiguous", fast(contiguous), with_names, nullptr},
                                           {"copy_", fast(copy_), with_names, nullptr},
                                           {"type", fast(type), with_names, nullptr},
                                           {"numpy", fast(numpy), with_names, nullptr},
                                           {"nonzero", fast(nonzero), with_names, nullptr},
                                           {nullptr, nullptr, 0, nullptr}};

}  // namespace mt::py
