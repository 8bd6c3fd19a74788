// NPUs in _C: devices, current streams, generators, pinned memory, the simulator. Names are torch_npu's after an _npu_ prefix.
#include <cctype>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "methods.h"
#include "operators.h"
#include "stream.h"
#include "tensor.h"
#include "tensor_types.h"

namespace mt::py {

int32_t npu_count() {
  int32_t n = 0;
  check(mt_npu_device_count(&n));
  return n;
}
int32_t usable_npu_count() {
  int32_t n = 0;
  const std::unique_ptr<mt_status, decltype(&mt_status_release)> status(mt_npu_device_count(&n), mt_status_release);
  if (!status) return n;
  static bool is_given = false;
  if (is_due(is_given)) warn(PyExc_UserWarning, std::string("NPU initialization: ") + mt_status_message(status.get()));
  return 0;
}
int32_t npu_index(mt_device device) {
  int32_t index = device.index;
  if (index < 0) check(mt_npu_get_device(&index));
  return index;
}

namespace {

PyTypeObject *npu_stream_type, *npu_event_type;

int32_t to_device_index(PyObject* number) { return static_cast<int32_t>(to_int64(number)); }

// ---- devices -----------------------------------------------------------------------------------------------------------

PyObject* device_count(PyObject*, PyObject*) {
  return guarded([] { return PyLong_FromLong(usable_npu_count()); });
}
PyObject* is_initialized(PyObject*, PyObject*) { return PyBool_FromLong(mt_npu_is_initialized()); }
PyObject* is_in_bad_fork(PyObject*, PyObject*) { return PyBool_FromLong(mt_npu_in_bad_fork()); }
PyObject* get_device(PyObject*, PyObject*) {
  return guarded([] { return PyLong_FromLong(npu_index({MT_NPU, -1})); });
}
PyObject* initialize_current_npu(PyObject*, PyObject*) {
  return guarded([] {
    check(mt_npu_set_device(npu_index({MT_NPU, -1})));  // only making a device current initialises it, naming it does not
    return incref(Py_None);
  });
}
PyObject* set_device(PyObject*, PyObject* index) {
  return guarded([&] {
    check(mt_npu_set_device(to_device_index(index)));
    return incref(Py_None);
  });
}
// Makes a device current and returns the previous one; a negative index changes nothing.
PyObject* exchange_device(PyObject*, PyObject* index) {
  return guarded([&] {
    int32_t wanted = to_device_index(index);
    if (wanted < 0) return PyLong_FromLong(-1);
    int32_t previous = npu_index({MT_NPU, -1});
    if (previous != wanted) check(mt_npu_set_device(wanted));
    return PyLong_FromLong(previous);
  });
}
PyObject* synchronize(PyObject*, PyObject*) {
  return guarded([] {
    check_unlocked([] { return mt_npu_synchronize(-1); });
    return incref(Py_None);
  });
}
PyObject* get_properties(PyObject*, PyObject* index) {
  return guarded([&] {
    mt_npu_properties p{};
    p.struct_size = sizeof p;
    check(mt_npu_get_properties(to_device_index(index), &p));
    return Py_BuildValue("{s:s,s:L,s:L,s:i,s:i,s:i,s:i}", "name", p.name, "total_memory", static_cast<long long>(p.total_memory),
                         "L2_cache_size", static_cast<long long>(p.l2_cache_size), "cube_core_num", p.cube_core_num, "vector_core_num",
                         p.vector_core_num, "major", p.major, "minor", p.minor);
  });
}
PyObject* can_access_peer(PyObject*, PyObject* args) {
  return guarded([&] {
    int device, peer, can = 0;
    expect(PyArg_ParseTuple(args, "ii", &device, &peer));
    check(mt_npu_can_access_peer(device, peer, &can));
    return PyBool_FromLong(can);
  });
}
PyObject* get_library_path(PyObject*, PyObject*) {
  const char* path = mt_npu_library();
  return path ? PyUnicode_FromString(path) : incref(Py_None);
}
PyObject* load_library(PyObject*, PyObject* path) {
  return guarded([&] {
    const char* text = path == Py_None ? nullptr : PyUnicode_AsUTF8(path);
    expect(text || path == Py_None);
    check(mt_npu_load(text));
    return incref(Py_None);
  });
}

// ---- streams and events --------------------------------------------------------------------------------------------------

PyObject* make_stream_tuple(int32_t device, int64_t id) { return Py_BuildValue("(Lii)", static_cast<long long>(id), device, int{MT_NPU}); }

PyObject* get_current_stream(PyObject*, PyObject* index) {
  return guarded([&] {
    int32_t device = npu_index({MT_NPU, to_device_index(index)});
    int64_t id = 0;
    check(mt_npu_stream_get(device, &id));
    return make_stream_tuple(device, id);
  });
}
PyObject* get_default_stream(PyObject*, PyObject* index) {
  return guarded([&] { return make_stream_tuple(npu_index({MT_NPU, to_device_index(index)}), 0); });
}
PyObject* set_stream(PyObject*, PyObject* args) {
  return guarded([&] {
    long long id;
    int device, type;
    expect(PyArg_ParseTuple(args, "Lii", &id, &device, &type));
    if (type != MT_NPU) raise(PyExc_RuntimeError, "expected a stream of an npu device, but got one of %s", mt_device_type_name(type));
    check(mt_npu_set_device(device));
    check(mt_npu_stream_set(device, id));
    return incref(Py_None);
  });
}
PyObject* stream_from_external(PyObject*, PyObject* args) {
  return guarded([&] {
    unsigned long long pointer;
    int device;
    int64_t id = 0;
    expect(PyArg_ParseTuple(args, "Ki", &pointer, &device));
    check(mt_npu_stream_from_handle(device, reinterpret_cast<void*>(pointer), &id));
    return make_stream_tuple(device, id);
  });
}

PyObject* make_npu_stream(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    static const char* names[] = {"priority", "stream_id", "device_index", "device_type", "stream_ptr", nullptr};
    int priority = 0, index = 0, kind = 0;
    long long id = 0;
    unsigned long long pointer = 0;
    expect(PyArg_ParseTupleAndKeywords(args, kwargs, "|iLiiK", const_cast<char**>(names), &priority, &id, &index, &kind, &pointer));
    int64_t made = id;
    if (kind) return new_stream(type, {MT_NPU, index}, id);
    mt_device device = {MT_NPU, npu_index({MT_NPU, -1})};
    if (pointer)
      check(mt_npu_stream_from_handle(device.index, reinterpret_cast<void*>(pointer), &made));
    else
      check(mt_npu_stream_new(device.index, priority, &made));
    return new_stream(type, device, made);
  });
}
PyObject* stream_pointer(PyObject* self, void*) {
  return guarded([&] {
    void* pointer = nullptr;
    check(mt_npu_stream_handle(as_stream(self)->device.index, as_stream(self)->id, &pointer));
    return PyLong_FromVoidPtr(pointer);
  });
}
PyObject* stream_priority(PyObject* self, void*) {
  return guarded([&] {
    int32_t priority = 0;
    check(mt_npu_stream_priority(as_stream(self)->device.index, as_stream(self)->id, &priority));
    return PyLong_FromLong(priority);
  });
}
PyObject* priority_range(PyObject*, PyObject*) { return Py_BuildValue("(ii)", 0, -1); }

PyMethodDef stream_methods[] = {{"priority_range", priority_range, METH_NOARGS | METH_STATIC, "The lowest and the highest priority."},
                                {nullptr, nullptr, 0, nullptr}};
PyGetSetDef stream_getset[] = {{"npu_stream", stream_pointer, nullptr, "The vendor's handle (aclrtStream).", nullptr},
                               {"priority", stream_priority, nullptr, "The stream's priority; lower numbers go first.", nullptr},
                               {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyType_Slot stream_slots[] = {{Py_tp_doc, const_cast<char*>("A stream of an NPU.")},
                              {Py_tp_new, reinterpret_cast<void*>(make_npu_stream)},
                              {Py_tp_methods, stream_methods},
                              {Py_tp_getset, stream_getset},
                              {0, nullptr}};
PyType_Spec stream_spec = {"torch._C._NPUStreamBase", sizeof(StreamObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, stream_slots};

PyObject* make_npu_event(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    static const char* names[] = {"enable_timing", "blocking", nullptr};
    int timed = 0, blocking = 0;
    expect(PyArg_ParseTupleAndKeywords(args, kwargs, "|pp", const_cast<char**>(names), &timed, &blocking));
    int32_t flags = (timed ? MT_NPU_EVENT_TIMING : 0) | (blocking ? MT_NPU_EVENT_BLOCKING : 0);
    return new_event(type, {MT_NPU, -1}, flags);
  });
}
PyObject* event_pointer(PyObject* self, void*) {
  return guarded([&] {
    void* pointer = nullptr;
    check(mt_npu_event_handle(as_event(self)->event, &pointer));
    return PyLong_FromSize_t(reinterpret_cast<size_t>(pointer));
  });
}
constexpr const char* event_doc = "The vendor's handle (aclrtEvent); 0 before the first record.";
PyGetSetDef event_getset[] = {{"npu_event", event_pointer, nullptr, event_doc, nullptr}, {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyType_Slot event_slots[] = {{Py_tp_doc, const_cast<char*>("An event of an NPU.")},
                             {Py_tp_new, reinterpret_cast<void*>(make_npu_event)},
                             {Py_tp_getset, event_getset},
                             {0, nullptr}};
PyType_Spec event_spec = {"torch._C._NPUEventBase", sizeof(EventObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, event_slots};

// ---- generators ------------------------------------------------------------------------------------------------------------

PyObject* default_generator(PyObject*, PyObject* index) {
  return guarded([&] {
    mt_generator* generator = nullptr;
    check(mt_npu_generator_default(to_device_index(index), &generator));
    return generator_object(generator);
  });
}

// ---- memory used on other streams -------------------------------------------------------------------------

PyObject* record_tensor_stream(PyObject* self, PyObject* const* values, Py_ssize_t n, PyObject* names) {
  return method(self, "record_stream", values, n, names, [&] {
    static const Parser parser("record_stream", {"record_stream(Stream s)"});
    auto parsed = parser.parse({self, values, n, names});
    mt_device device = info_of(self).device;
    if (device.type != MT_NPU) {
      raise(PyExc_NotImplementedError, "Could not run 'aten::record_stream' with arguments from the '%s' backend.",
            device.type == MT_CPU    ? "CPU"
            : device.type == MT_META ? "Meta"
                                     : mt_device_type_name(device.type));
    }
    check(mt_npu_record_stream(handle(self), as_stream(parsed.object(0))->id));
    return incref(Py_None);
  });
}

// ---- the simulator ---------------------------------------------------------------------------------------------------------

PyObject* is_simulator(PyObject*, PyObject*) { return PyBool_FromLong(mt_npu_is_simulator()); }
PyObject* simulator_faults(PyObject*, PyObject* faults) {
  return guarded([&] {
    const char* text = PyUnicode_AsUTF8(faults);
    expect(text != nullptr);
    check(mt_npu_simulator_faults(text));
    return incref(Py_None);
  });
}
PyObject* simulator_counters(PyObject*, PyObject*) {
  return guarded([] { return collect_figures(mt_npu_simulator_counters); });
}
PyObject* simulator_reset(PyObject*, PyObject*) {
  return guarded([] {
    check(mt_npu_simulator_reset_counters());
    return incref(Py_None);
  });
}
PyObject* simulator_race(PyObject*, PyObject*) { return PyUnicode_FromString(mt_npu_simulator_race()); }
PyObject* get_kernel_name(PyObject*, PyObject* args) {
  return guarded([&]() -> PyObject* {
    const char *name, *overload, *kernel = nullptr;
    expect(PyArg_ParseTuple(args, "ss", &name, &overload));
    check(mt_npu_kernel_name(find_op(name, overload), &kernel));
    return kernel ? PyUnicode_FromString(kernel) : incref(Py_None);
  });
}

PyMethodDef functions[] = {{"_npu_getDeviceCount", device_count, METH_NOARGS, "The number of NPUs; 0 without a library or a device."},
                           {"_npu_isInitialized", is_initialized, METH_NOARGS, nullptr},
                           {"_npu_isInBadFork", is_in_bad_fork, METH_NOARGS, nullptr},
                           {"_npu_init", initialize_current_npu, METH_NOARGS, "Starts the current device."},
                           {"_npu_getDevice", get_device, METH_NOARGS, nullptr},
                           {"_npu_setDevice", set_device, METH_O, nullptr},
                           {"_npu_exchangeDevice", exchange_device, METH_O, nullptr},
                           {"_npu_synchronize", synchronize, METH_NOARGS, nullptr},
                           {"_npu_getDeviceProperties", get_properties, METH_O, nullptr},
                           {"_npu_canDeviceAccessPeer", can_access_peer, METH_VARARGS, nullptr},
                           {"_npu_library", get_library_path, METH_NOARGS, "The path of the library that serves NPUs, or None."},
                           {"_npu_load", load_library, METH_O,
                            "Loads the library that serves NPUs from a path, or from where CANN installs it."},
                           {"_npu_getCurrentStream", get_current_stream, METH_O, nullptr},
                           {"_npu_getDefaultStream", get_default_stream, METH_O, nullptr},
                           {"_npu_setStream", set_stream, METH_VARARGS, nullptr},
                           {"_npu_getStreamFromExternal", stream_from_external, METH_VARARGS, nullptr},
                           {"_npu_defaultGenerator", default_generator, METH_O, nullptr},
                           {"_npu_isSimulator", is_simulator, METH_NOARGS, nullptr},
                           {"_npu_simulatorFaults", simulator_faults, METH_O, nullptr},
                           {"_npu_simulatorCounters", simulator_counters, METH_NOARGS, nullptr},
                           {"_npu_simulatorResetCounters", simulator_reset, METH_NOARGS, nullptr},
                           {"_npu_simulatorRace", simulator_race, METH_NOARGS, nullptr},
                           {"_npu_kernelName", get_kernel_name, METH_VARARGS,
                            "The aclnn operator that serves an operator and overload, or None."},
                           {nullptr, nullptr, 0, nullptr}};

constexpr int with_names = METH_FASTCALL | METH_KEYWORDS;

}  // namespace

PyMethodDef tensor_npu_methods[] = {{"record_stream", fast(record_tensor_stream), with_names,
                                     "Keeps the memory till a stream's work so far is done; NPUs only."},
                                    {nullptr, nullptr, 0, nullptr}};

void init_npu(PyObject* module) {
  npu_stream_type = make_type(&stream_spec, stream_type);
  npu_event_type = make_type(&event_spec, event_type);
  add_object(module, "_NPUStreamBase", reinterpret_cast<PyObject*>(npu_stream_type));
  add_object(module, "_NPUEventBase", reinterpret_cast<PyObject*>(npu_event_type));
  expect_zero(PyModule_AddFunctions(module, functions));
  add_npu_memory(module);
}

}  // namespace mt::py
