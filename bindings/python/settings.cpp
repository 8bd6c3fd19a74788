// Process-wide and per-thread settings: defaults, determinism, threads, attention back ends, autocast; and build information.
#include <cstring>
#include <string>
#include <utility>

#include "documentation.h"
#include "operators.h"
#include "stream.h"
#include "tensor.h"
#include "tensor_types.h"
#include "types.h"

namespace mt::py {
namespace {

PyObject* log_api_usage(PyObject*, PyObject* event) {
  return guarded([&] {
    if (!PyUnicode_Check(event)) raise(PyExc_TypeError, "expected a str, but got %s", Py_TYPE(event)->tp_name);
    return incref(Py_None);
  });
}

template <int Option>
PyObject* get_option(PyObject*, PyObject*) {
  return guarded([] {
    int32_t value = 0;
    check(mt_option_get(Option, &value));
    return PyBool_FromLong(value);
  });
}
template <int Option>
PyObject* set_option(PyObject*, PyObject* value) {
  return guarded([&] {
    if (!PyBool_Check(value))
      raise(Option == MT_OPTION_DETERMINISTIC_FILL ? PyExc_RuntimeError : PyExc_TypeError, "expected a bool, but got %s",
            Py_TYPE(value)->tp_name);
    check(mt_option_set(Option, value == Py_True));
    return incref(Py_None);
  });
}

PyObject* get_default_dtype(PyObject*, PyObject*) { return dtype_object(mt_default_dtype_get()); }
PyObject* set_default_dtype(PyObject*, PyObject* dtype) {
  return guarded([&] {
    if (!is_dtype(dtype)) raise(PyExc_TypeError, "invalid dtype object: only floating-point types are supported as the default type");
    if (!is_floating(dtype_code(dtype))) raise(PyExc_TypeError, "only floating-point types are supported as the default type");
    check(mt_default_dtype_set(dtype_code(dtype)));
    return incref(Py_None);
  });
}
PyObject* set_default_tensor_type(PyObject*, PyObject* type) {
  return guarded([&] {
    int32_t dtype = is_tensor_type(type) ? tensor_type_dtype(type) : -1;
    const char* name = PyUnicode_Check(type) ? PyUnicode_AsUTF8(type) : "";
    const bool is_sparse = dtype >= 0 ? tensor_type_layout(type) != MT_STRIDED : strncmp(name, "torch.sparse.", 13) == 0;
    if (is_sparse) raise(PyExc_TypeError, "only dense types are supported as the default type");
    if (PyUnicode_Check(type)) {
      dtype = dtype_of_legacy_name(PyUnicode_AsUTF8(type));
      if (dtype < 0) raise(PyExc_ValueError, "invalid type: '%s'", PyUnicode_AsUTF8(type));
    }
    if (dtype < 0) raise(PyExc_TypeError, "invalid type object");
    if (!is_floating(dtype)) raise(PyExc_TypeError, "only floating-point types are supported as the default type");
    check(mt_default_dtype_set(dtype));
    return incref(Py_None);
  });
}
PyObject* get_default_device(PyObject*, PyObject*) { return PyUnicode_FromString("cpu"); }
PyObject* get_accelerator(PyObject*, PyObject*) {
  return guarded([] { return device_object(accelerator()); });
}
PyObject* private_backend_name(PyObject*, PyObject*) { return PyUnicode_FromString("npu"); }
PyObject* rename_private_backend(PyObject*, PyObject* name) {
  return guarded([&] {
    const char* text = PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : nullptr;
    if (!text) raise(PyExc_TypeError, "_rename_privateuse1_backend expects a str, but got %s", Py_TYPE(name)->tp_name);
    if (strcmp(text, "npu")) {
      raise(PyExc_RuntimeError, "torch.register_privateuse1_backend() has already been set! Current backend: npu");
    }
    return incref(Py_None);
  });
}

PyObject* set_deterministic(PyObject*, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    static const char* names[] = {"mode", "warn_only", nullptr};
    PyObject *mode, *warn_only = Py_False;
    expect(PyArg_ParseTupleAndKeywords(args, kwargs, "O|$O", const_cast<char**>(names), &mode, &warn_only));
    if (!PyBool_Check(mode)) {
      raise(PyExc_TypeError, "_set_deterministic_algorithms(): argument 'mode' (position 1) must be bool, not %s", Py_TYPE(mode)->tp_name);
    }
    if (!PyBool_Check(warn_only))
      raise(PyExc_TypeError, "_set_deterministic_algorithms(): argument 'warn_only' must be bool, not %s", Py_TYPE(warn_only)->tp_name);
    check(mt_option_set(MT_OPTION_DETERMINISTIC, mode == Py_True));
    check(mt_option_set(MT_OPTION_DETERMINISTIC_WARN_ONLY, warn_only == Py_True));
    return incref(Py_None);
  });
}

constexpr const char* precisions[] = {"highest", "high", "medium"};
PyObject* get_matmul_precision(PyObject*, PyObject*) {
  return guarded([] {
    int32_t value = 0;
    check(mt_option_get(MT_OPTION_FLOAT32_MATMUL_PRECISION, &value));
    return PyUnicode_FromString(precisions[value]);
  });
}
PyObject* set_matmul_precision(PyObject*, PyObject* value) {
  return guarded([&] {
    const char* text = PyUnicode_Check(value) ? PyUnicode_AsUTF8(value) : nullptr;
    if (!text) raise(PyExc_RuntimeError, "set_float32_matmul_precision expects a str, but got %s", Py_TYPE(value)->tp_name);
    for (int i = 0; i < 3; ++i) {
      if (strcmp(text, precisions[i])) continue;
      check(mt_option_set(MT_OPTION_FLOAT32_MATMUL_PRECISION, i));
      return incref(Py_None);
    }
    raise(PyExc_RuntimeError, "Invalid float32 matmul precision '%s'. Valid options: 'highest', 'high', 'medium'", text);
  });
}

// ---- threads -------------------------------------------------------------------------------------------------------------------

PyObject* get_threads(PyObject*, PyObject*) { return PyLong_FromLong(mt_threads_get()); }
PyObject* get_interop_threads(PyObject*, PyObject*) { return PyLong_FromLong(mt_interop_threads_get()); }
PyObject* set_number_of_threads(PyObject* n, const char* name, mt_status* (*set)(int32_t)) {
  return guarded([&] {
    if (!is_int(n)) raise(PyExc_RuntimeError, "%s expects an int, but got %s", name, Py_TYPE(n)->tp_name);
    int64_t value = to_int64(n);
    if (value <= 0) raise(PyExc_RuntimeError, "%s expects a positive integer", name);
    check(set(static_cast<int32_t>(value)));
    return incref(Py_None);
  });
}
PyObject* set_threads(PyObject*, PyObject* n) { return set_number_of_threads(n, "set_num_threads", mt_threads_set); }
PyObject* set_interop_threads(PyObject*, PyObject* n) {
  return set_number_of_threads(n, "set_num_interop_threads", mt_interop_threads_set);
}
PyObject* set_flush_denormal(PyObject*, PyObject* mode) {
  return guarded([&] {
    if (!PyBool_Check(mode)) raise(PyExc_TypeError, "flush_denormal expects a bool, but got %s", Py_TYPE(mode)->tp_name);
    if (mt_status* status = mt_option_set(MT_OPTION_FLUSH_DENORMAL, mode == Py_True)) {
      mt_status_release(status);
      return incref(Py_False);
    }
    return incref(Py_True);
  });
}

// ---- descriptions of the build: torch.__config__, torch.version ------------------------------------------------------------------------

PyObject* abi_version(PyObject*, PyObject*) { return PyLong_FromLong(mt_abi_version()); }

PyObject* show_config(PyObject*, PyObject*) { return PyUnicode_FromString(mt_build_description()); }
PyObject* cxx_flags(PyObject*, PyObject*) { return PyUnicode_FromString("-std=c++20 -O3"); }
PyObject* parallel_info(PyObject*, PyObject*) {
  return PyUnicode_FromFormat("ATen/Parallel:\n\tat::get_num_threads() : %d\n\tat::get_num_interop_threads() : %d\n", mt_threads_get(),
                              mt_interop_threads_get());
}
PyObject* cpu_capability(PyObject*, PyObject*) { return PyUnicode_FromString(mt_cpu_capability()); }

// ---- autocast ---------------------------------------------------------------------------------------------------------------------

// A device type by its name, with torch's text for unknown ones; NULL means CUDA, as in the old signatures.
int32_t device_type_of(PyObject* name) {
  if (!name) return MT_CUDA;
  if (!PyUnicode_Check(name)) raise(PyExc_TypeError, "device_type must be str, not %s", Py_TYPE(name)->tp_name);
  mt_device device;
  check(mt_device_parse(PyUnicode_AsUTF8(name), &device));
  return device.type;
}
struct Autocast {
  int32_t enabled = 0, dtype = -1;
};
Autocast autocast_of(int32_t type) {
  Autocast a;
  check(mt_autocast_get(type, &a.enabled, &a.dtype));
  return a;
}
constexpr int with_names = METH_FASTCALL | METH_KEYWORDS;
PyObject* is_autocast_enabled(PyObject*, PyObject* const* values, Py_ssize_t n, PyObject* names) {
  return guarded([&] {
    static const Parser parser("is_autocast_enabled", {"is_autocast_enabled(str device_type)", "is_autocast_enabled()"});
    auto parsed = parser.parse({nullptr, values, n, names});
    return PyBool_FromLong(autocast_of(device_type_of(parsed.index == 0 ? parsed.object(0) : nullptr)).enabled);
  });
}
PyObject* set_autocast_enabled(PyObject*, PyObject* const* values, Py_ssize_t n, PyObject* names) {
  return guarded([&] {
    static const Parser parser("set_autocast_enabled",
                               {"set_autocast_enabled(str device_type, bool enabled)", "set_autocast_enabled(bool enabled)"});
    auto parsed = parser.parse({nullptr, values, n, names});
    const int32_t type = device_type_of(parsed.index == 0 ? parsed.object(0) : nullptr);
    check(mt_autocast_set(type, parsed.flag(parsed.index == 0 ? 1 : 0), autocast_of(type).dtype));
    return incref(Py_None);
  });
}
PyObject* get_autocast_dtype(PyObject*, PyObject* const* values, Py_ssize_t n, PyObject* names) {
  return guarded([&] {
    static const Parser parser("get_autocast_dtype", {"get_autocast_dtype(str device_type)"});
    return dtype_object(autocast_of(device_type_of(parser.parse({nullptr, values, n, names}).object(0))).dtype);
  });
}
PyObject* set_autocast_dtype(PyObject*, PyObject* const* values, Py_ssize_t n, PyObject* names) {
  return guarded([&] {
    static const Parser parser("set_autocast_dtype", {"set_autocast_dtype(str device_type, ScalarType dtype)"});
    auto parsed = parser.parse({nullptr, values, n, names});
    const int32_t type = device_type_of(parsed.object(0));
    check(mt_autocast_set(type, autocast_of(type).enabled, parsed.dtype(1)));
    return incref(Py_None);
  });
}
PyObject* is_autocast_cache_enabled(PyObject*, PyObject*) {
  return guarded([] {
    int32_t on = 0;
    check(mt_autocast_cache_get(&on));
    return PyBool_FromLong(on);
  });
}
PyObject* set_autocast_cache_enabled(PyObject*, PyObject* value) {
  return guarded([&] {
    if (!PyBool_Check(value)) raise(PyExc_TypeError, "enabled must be a bool (got %s)", Py_TYPE(value)->tp_name);
    check(mt_autocast_cache_set(value == Py_True));
    return incref(Py_None);
  });
}
PyObject* clear_autocast_cache(PyObject*, PyObject*) {
  return guarded([] {
    check(mt_autocast_cache_clear());
    return incref(Py_None);
  });
}
thread_local long autocast_nesting = 0;
template <int Step>
PyObject* nest_autocast(PyObject*, PyObject*) {
  return PyLong_FromLong(autocast_nesting += Step);
}
PyObject* is_autocast_available(PyObject*, PyObject* name) {
  return guarded([&] {
    int32_t type = device_type_of(name);
    return PyBool_FromLong(type == MT_CPU || type == MT_CUDA || type == MT_NPU);
  });
}
PyObject* is_any_autocast_enabled(PyObject*, PyObject*) {
  return guarded([] {
    bool any = false;
    for (int32_t type : {MT_CPU, MT_CUDA, MT_NPU}) any |= autocast_of(type).enabled != 0;
    return PyBool_FromLong(any);
  });
}

// The older function names, one per device: "cpu", "gpu", "ipu" and "xla".
struct AutocastDevice {
  const char* in_name;
  const char* type;
};
constexpr AutocastDevice autocast_devices[] = {{"cpu", "cpu"}, {"gpu", "cuda"}, {"ipu", "ipu"}, {"xla", "xla"}};
int32_t device_type_of_autocast(const AutocastDevice& d) {
  mt_device device;
  check(mt_device_parse(d.type, &device));
  return device.type;
}
// `old_call` and `new_call` contain the device's name and type as %s.
void warn_replaced(const AutocastDevice& d, const char* old_call, const char* new_call) {
  const std::string format = std::string("torch.") + old_call + " is deprecated. Please use torch." + new_call + " instead.";
  expect_zero(PyErr_WarnFormat(PyExc_DeprecationWarning, 1, format.c_str(), d.in_name, d.type));
}
template <int I>
PyObject* old_is_autocast_enabled(PyObject*, PyObject*) {
  return guarded([] {
    warn_replaced(autocast_devices[I], "is_autocast_%s_enabled()", "is_autocast_enabled('%s')");
    return PyBool_FromLong(autocast_of(device_type_of_autocast(autocast_devices[I])).enabled);
  });
}
template <int I>
PyObject* old_set_autocast_enabled(PyObject*, PyObject* value) {
  return guarded([&] {
    if (!PyBool_Check(value)) raise(PyExc_TypeError, "enabled must be a bool (got %s)", Py_TYPE(value)->tp_name);
    warn_replaced(autocast_devices[I], "set_autocast_%s_enabled(enabled)", "set_autocast_enabled('%s', enabled)");
    const int32_t type = device_type_of_autocast(autocast_devices[I]);
    check(mt_autocast_set(type, value == Py_True, autocast_of(type).dtype));
    return incref(Py_None);
  });
}
template <int I>
PyObject* old_get_autocast_dtype(PyObject*, PyObject*) {
  return guarded([] {
    warn_replaced(autocast_devices[I], "get_autocast_%s_dtype()", "get_autocast_dtype('%s')");
    return dtype_object(autocast_of(device_type_of_autocast(autocast_devices[I])).dtype);
  });
}
template <int I>
PyObject* old_set_autocast_dtype(PyObject*, PyObject* value) {
  return guarded([&] {
    if (!is_dtype(value)) raise(PyExc_TypeError, "dtype must be a torch.dtype (got %s)", Py_TYPE(value)->tp_name);
    warn_replaced(autocast_devices[I], "set_autocast_%s_dtype(dtype)", "set_autocast_dtype('%s', dtype)");
    const int32_t type = device_type_of_autocast(autocast_devices[I]);
    check(mt_autocast_set(type, autocast_of(type).enabled, dtype_code(value)));
    return incref(Py_None);
  });
}

// ---- switches that a CPU build ignores: stored, so that programs can read them back ------------------------------------------------

struct Switch {
  const char* getter;
  const char* setter;
  bool value;
};
Switch switches[] = {
    {"_get_cudnn_enabled", "_set_cudnn_enabled", true},
    {"_get_mkldnn_enabled", "_set_mkldnn_enabled", true},
    {"_get_mkldnn_deterministic", "_set_mkldnn_deterministic", false},
    {"_get_nnpack_enabled", "_set_nnpack_enabled", true},
    {"_get_cudnn_benchmark", "_set_cudnn_benchmark", false},
    {"_get_cudnn_deterministic", "_set_cudnn_deterministic", false},
    {"_get_cudnn_allow_tf32", "_set_cudnn_allow_tf32", true},
    {"_get_cublas_allow_tf32", "_set_cublas_allow_tf32", false},
    {"_get_overrideable_sdp_enabled", "_set_sdp_use_overrideable", true},
    {"_get_math_sdp_allow_fp16_bf16_reduction", "_set_math_sdp_allow_fp16_bf16_reduction", false},
    {"_get_backcompat_broadcast_warn", "_set_backcompat_broadcast_warn", false},
    {"_get_backcompat_keepdim_warn", "_set_backcompat_keepdim_warn", false},
};
Switch& switch_of(PyObject* index) { return switches[PyLong_AsSize_t(index)]; }
PyObject* get_switch(PyObject* index, PyObject*) { return PyBool_FromLong(switch_of(index).value); }
PyObject* set_switch(PyObject* index, PyObject* value) {
  int truth = PyObject_IsTrue(value);
  if (truth < 0) return nullptr;
  switch_of(index).value = truth;
  Py_RETURN_NONE;
}
void add_switches(PyObject* module) {
  static PyMethodDef definitions[2 * (sizeof switches / sizeof *switches)];
  size_t n = 0;
  for (size_t i = 0; i < sizeof switches / sizeof *switches; ++i) {
    Ref index = own(PyLong_FromSize_t(i));
    definitions[n] = {switches[i].getter, get_switch, METH_NOARGS, nullptr};
    add_object(module, switches[i].getter, own(PyCFunction_New(&definitions[n++], index.get())).get());
    definitions[n] = {switches[i].setter, set_switch, METH_O, nullptr};
    add_object(module, switches[i].setter, own(PyCFunction_New(&definitions[n++], index.get())).get());
  }
}

// Calls to TorchScript's compiler, which does not exist here.
PyObject* is_tracing(PyObject*, PyObject*) { Py_RETURN_FALSE; }
PyObject* return_none(PyObject*, PyObject*) { Py_RETURN_NONE; }
template <int>
PyObject* store_unread_flag(PyObject*, PyObject* value) {
  static bool set = true;
  return PyBool_FromLong(std::exchange(set, value == Py_True));
}

PyMethodDef functions[] = {{"get_default_dtype", get_default_dtype, METH_NOARGS, nullptr},
                           {"_set_default_dtype", set_default_dtype, METH_O, nullptr},
                           {"_set_default_tensor_type", set_default_tensor_type, METH_O, nullptr},
                           {"_get_default_device", get_default_device, METH_NOARGS, nullptr},
                           {"_get_accelerator", get_accelerator, METH_VARARGS, nullptr},
                           {"_get_privateuse1_backend_name", private_backend_name, METH_NOARGS, nullptr},
                           {"_rename_privateuse1_backend", rename_private_backend, METH_O, nullptr},
                           {"_get_deterministic_algorithms", get_option<MT_OPTION_DETERMINISTIC>, METH_NOARGS, nullptr},
                           {"_get_deterministic_algorithms_warn_only", get_option<MT_OPTION_DETERMINISTIC_WARN_ONLY>, METH_NOARGS, nullptr},
                           {"_set_deterministic_algorithms", keywords(set_deterministic), METH_VARARGS | METH_KEYWORDS, nullptr},
                           {"_get_deterministic_fill_uninitialized_memory", get_option<MT_OPTION_DETERMINISTIC_FILL>, METH_NOARGS, nullptr},
                           {"_set_deterministic_fill_uninitialized_memory", set_option<MT_OPTION_DETERMINISTIC_FILL>, METH_O, nullptr},
                           {"_get_warnAlways", get_option<MT_OPTION_WARN_ALWAYS>, METH_NOARGS, nullptr},
                           {"_set_warnAlways", set_option<MT_OPTION_WARN_ALWAYS>, METH_O, nullptr},
                           {"_get_math_sdp_enabled", get_option<MT_OPTION_SDPA_MATH>, METH_NOARGS, nullptr},
                           {"_set_sdp_use_math", set_option<MT_OPTION_SDPA_MATH>, METH_O, nullptr},
                           {"_get_flash_sdp_enabled", get_option<MT_OPTION_SDPA_FLASH>, METH_NOARGS, nullptr},
                           {"_set_sdp_use_flash", set_option<MT_OPTION_SDPA_FLASH>, METH_O, nullptr},
                           {"_get_mem_efficient_sdp_enabled", get_option<MT_OPTION_SDPA_EFFICIENT>, METH_NOARGS, nullptr},
                           {"_set_sdp_use_mem_efficient", set_option<MT_OPTION_SDPA_EFFICIENT>, METH_O, nullptr},
                           {"_get_cudnn_sdp_enabled", get_option<MT_OPTION_SDPA_CUDNN>, METH_NOARGS, nullptr},
                           {"_set_sdp_use_cudnn", set_option<MT_OPTION_SDPA_CUDNN>, METH_O, nullptr},
                           {"_get_float32_matmul_precision", get_matmul_precision, METH_NOARGS, nullptr},
                           {"_set_float32_matmul_precision", set_matmul_precision, METH_O, nullptr},
                           {"get_num_threads", get_threads, METH_NOARGS, nullptr},
                           {"set_num_threads", set_threads, METH_O, nullptr},
                           {"get_num_interop_threads", get_interop_threads, METH_NOARGS, nullptr},
                           {"set_num_interop_threads", set_interop_threads, METH_O, nullptr},
                           {"set_flush_denormal", set_flush_denormal, METH_O, nullptr},
                           {"_show_config", show_config, METH_NOARGS, nullptr},
                           {"_log_api_usage_once", log_api_usage, METH_O,
                            "Tells the logger of API usage of a call; this build has none, as torch's own."},
                           {"_mt_abi_version", abi_version, METH_NOARGS, nullptr},
                           {"_cxx_flags", cxx_flags, METH_NOARGS, nullptr},
                           {"_parallel_info", parallel_info, METH_NOARGS, nullptr},
                           {"_get_cpu_capability", cpu_capability, METH_NOARGS, nullptr},
                           {"is_autocast_enabled", fast(is_autocast_enabled), with_names, nullptr},
                           {"set_autocast_enabled", fast(set_autocast_enabled), with_names, nullptr},
                           {"get_autocast_dtype", fast(get_autocast_dtype), with_names, nullptr},
                           {"set_autocast_dtype", fast(set_autocast_dtype), with_names, nullptr},
                           {"is_autocast_cpu_enabled", old_is_autocast_enabled<0>, METH_NOARGS, nullptr},
                           {"set_autocast_cpu_enabled", old_set_autocast_enabled<0>, METH_O, nullptr},
                           {"get_autocast_cpu_dtype", old_get_autocast_dtype<0>, METH_NOARGS, nullptr},
                           {"set_autocast_cpu_dtype", old_set_autocast_dtype<0>, METH_O, nullptr},
                           {"get_autocast_gpu_dtype", old_get_autocast_dtype<1>, METH_NOARGS, nullptr},
                           {"set_autocast_gpu_dtype", old_set_autocast_dtype<1>, METH_O, nullptr},
                           {"is_autocast_ipu_enabled", old_is_autocast_enabled<2>, METH_NOARGS, nullptr},
                           {"set_autocast_ipu_enabled", old_set_autocast_enabled<2>, METH_O, nullptr},
                           {"get_autocast_ipu_dtype", old_get_autocast_dtype<2>, METH_NOARGS, nullptr},
                           {"set_autocast_ipu_dtype", old_set_autocast_dtype<2>, METH_O, nullptr},
                           {"is_autocast_xla_enabled", old_is_autocast_enabled<3>, METH_NOARGS, nullptr},
                           {"set_autocast_xla_enabled", old_set_autocast_enabled<3>, METH_O, nullptr},
                           {"get_autocast_xla_dtype", old_get_autocast_dtype<3>, METH_NOARGS, nullptr},
                           {"set_autocast_xla_dtype", old_set_autocast_dtype<3>, METH_O, nullptr},
                           {"is_autocast_cache_enabled", is_autocast_cache_enabled, METH_NOARGS, nullptr},
                           {"set_autocast_cache_enabled", set_autocast_cache_enabled, METH_O, nullptr},
                           {"clear_autocast_cache", clear_autocast_cache, METH_NOARGS, nullptr},
                           {"autocast_increment_nesting", nest_autocast<1>, METH_NOARGS, nullptr},
                           {"autocast_decrement_nesting", nest_autocast<-1>, METH_NOARGS, nullptr},
                           {"_is_autocast_available", is_autocast_available, METH_O, nullptr},
                           {"_is_any_autocast_enabled", is_any_autocast_enabled, METH_NOARGS, nullptr},
                           {"_is_tracing", is_tracing, METH_NOARGS, nullptr},
                           {"_jit_set_profiling_executor", store_unread_flag<0>, METH_O, nullptr},
                           {"_jit_set_profiling_mode", store_unread_flag<1>, METH_O, nullptr},
                           {"_jit_set_autocast_mode", store_unread_flag<2>, METH_O, nullptr},
                           {"_jit_set_texpr_fuser_enabled", return_none, METH_O, nullptr},
                           {"_jit_override_can_fuse_on_cpu", return_none, METH_O, nullptr},
                           {"_jit_override_can_fuse_on_gpu", return_none, METH_O, nullptr},
                           {nullptr, nullptr, 0, nullptr}};

}  // namespace

void init_settings(PyObject* module) {
  add_documentation(functions, "torch");
  expect_zero(PyModule_AddFunctions(module, functions));
  add_switches(module);
  expect_zero(PyModule_AddObjectRef(module, "has_lapack", Py_True));
  for (const char* name :
       {"has_openmp", "has_mkl", "_has_mkldnn", "_has_cuda", "_has_cudnn", "_has_kleidiai", "_has_magma", "_has_mps", "_has_xpu"})
    expect_zero(PyModule_AddObjectRef(module, name, Py_False));
}

}  // namespace mt::py
