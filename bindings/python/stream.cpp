// torch.Stream and torch.Event: the CPU works in order, so everything is complete at once; for NPUs the device is queried.
#include "stream.h"

#include <string>

#include "signature.h"
#include "types.h"

namespace mt::py {

PyTypeObject *stream_type, *event_type;

namespace {

const char* type_name(mt_device device) { return mt_device_type_name(device.type); }

void need_backend(mt_device device) {
  if (device.type == MT_CPU || device.type == MT_META || is_present_npu(device)) return;
  raise(PyExc_RuntimeError, "PyTorch is not linked with support for %s devices", type_name(device));
}
[[noreturn]] void raise_no_events(mt_device device) {
  need_backend(device);
  raise(PyExc_RuntimeError, "%s backend doesn't support events.", type_name(device));
}

// The previous current stream when a stream was entered; innermost last.
struct EnteredStream {
  int32_t device = 0;
  int64_t stream = 0;
};
std::vector<EnteredStream>& entered_streams() {
  thread_local std::vector<EnteredStream> streams;
  return streams;
}

// The arguments of a constructor, as the binder takes them.
struct StreamArguments {
  std::vector<PyObject*> values;
  Ref names;
  Arguments arguments;
  StreamArguments(PyObject* args, PyObject* kwargs) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); ++i) values.push_back(PyTuple_GET_ITEM(args, i));
    Py_ssize_t n_named = kwargs ? PyDict_GET_SIZE(kwargs) : 0, at = 0;
    names = own(PyTuple_New(n_named));
    PyObject *key, *value;
    for (Py_ssize_t i = 0; kwargs && PyDict_Next(kwargs, &at, &key, &value); ++i) {
      PyTuple_SET_ITEM(names.get(), i, incref(key));
      values.push_back(value);
    }
    arguments = {nullptr, values.data(), PyTuple_GET_SIZE(args), names.get()};
  }
};

mt_device parse_device(const Parser::Parsed& parsed, int i) {
  mt_device device = accelerator();
  PyObject* object = parsed.has(i) && parsed.object(i) != Py_None ? parsed.object(i) : nullptr;
  if (object) device = to_device(object);
  need_backend(device);
  if (device.type == MT_NPU) return {MT_NPU, npu_index(device)};
  return {device.type, -1};
}

// ---- Stream ----------------------------------------------------------------------------------------------------------------

PyObject* make_stream(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    static const Parser parser("Stream", {"Stream(Device? device=None, *, int priority=0)",
                                          "Stream(int stream_id, int device_index, int device_type, *, int priority=0)"});
    StreamArguments given(args, kwargs);
    auto parsed = parser.parse(given.arguments);
    mt_device device;
    int64_t id = 0;
    if (parsed.match.signature->parameters[0].name == "stream_id") {
      id = parsed.integer(0);
      int64_t kind = parsed.integer(2);
      if (kind < 0 || kind > 127 || !mt_device_type_name(static_cast<int32_t>(kind))) {
        raise(PyExc_RuntimeError,
              "Expected isValidDeviceType(device_type) to be true, but got false.  (Could this error message be improved?  If so, please "
              "report an enhancement request to PyTorch.)");
      }
      device = {static_cast<int32_t>(kind), static_cast<int32_t>(static_cast<int8_t>(parsed.integer(1)))};
    } else {
      device = parse_device(parsed, 0);
      if (device.type == MT_NPU) check(mt_npu_stream_new(device.index, static_cast<int32_t>(parsed.integer(1)), &id));
    }
    return new_stream(type, device, id);
  });
}

PyObject* stream_repr(PyObject* self) {
  auto* s = as_stream(self);
  return PyUnicode_FromFormat("torch.Stream device_type=%s, device_index=%d, stream_id=%lld", type_name(s->device), s->device.index,
                              static_cast<long long>(s->id));
}
Py_hash_t stream_hash(PyObject* self) {
  auto* s = as_stream(self);
  auto hash = static_cast<Py_hash_t>(s->id ^ (int64_t{s->device.type} << 40) ^ (int64_t{uint8_t(s->device.index)} << 32));
  return hash == -1 ? -2 : hash;
}
PyObject* stream_compare(PyObject* a, PyObject* b, int op) {
  bool comparable = PyObject_TypeCheck(b, stream_type) && (op == Py_EQ || op == Py_NE);
  if (!comparable) return PyBool_FromLong(op == Py_NE);
  auto *x = as_stream(a), *y = as_stream(b);
  bool same = x->id == y->id && x->device.type == y->device.type && x->device.index == y->device.index;
  return PyBool_FromLong(same == (op == Py_EQ));
}

PyObject* stream_query(PyObject* self, PyObject*) {
  return guarded([&] {
    auto* s = as_stream(self);
    need_backend(s->device);
    int32_t done = 1;
    if (s->device.type == MT_NPU) check(mt_npu_stream_query(s->device.index, s->id, &done));
    return PyBool_FromLong(done);
  });
}
PyObject* stream_synchronize(PyObject* self, PyObject*) {
  return guarded([&] {
    auto* s = as_stream(self);
    need_backend(s->device);
    if (s->device.type == MT_NPU) check_unlocked([&] { return mt_npu_stream_synchronize(s->device.index, s->id); });
    return incref(Py_None);
  });
}
PyObject* stream_capturing(PyObject* self, PyObject*) {
  return guarded([&] {
    auto* s = as_stream(self);
    need_backend(s->device);
    int32_t capturing = 0;
    if (s->device.type == MT_NPU) check(mt_npu_stream_is_capturing(s->device.index, s->id, &capturing));
    return PyBool_FromLong(capturing);
  });
}

// Only streams of the same device type wait for an event.
void make_stream_wait_for(EventObject* event, StreamObject* stream) {
  if (event->event && stream->device.type == MT_NPU) check(mt_npu_event_wait(event->event, stream->device.index, stream->id));
}
void record_event_on(EventObject* event, StreamObject* stream) {
  if (!event->event || stream->device.type != MT_NPU) raise_no_events(stream->device);
  check(mt_npu_event_record(event->event, stream->device.index, stream->id));
  event->device = stream->device;
}

PyObject* wait_event(PyObject* self, PyObject* event) {
  return guarded([&] {
    if (!PyObject_TypeCheck(event, event_type)) raise(PyExc_RuntimeError, "expected event to be a torch.Event object");
    need_backend(as_stream(self)->device);
    make_stream_wait_for(as_event(event), as_stream(self));
    return incref(Py_None);
  });
}
PyObject* wait_stream(PyObject* self, PyObject* other) {
  return guarded([&]() -> PyObject* {
    if (!PyObject_TypeCheck(other, stream_type)) raise(PyExc_RuntimeError, "expected stream to be a torch.Stream object");
    mt_device device = as_stream(other)->device;
    need_backend(device);
    if (device.type != MT_NPU) raise_no_events(device);
    Ref event = own(new_event(event_type, device, 0));
    record_event_on(as_event(event.get()), as_stream(other));
    make_stream_wait_for(as_event(event.get()), as_stream(self));
    return incref(Py_None);
  });
}
PyObject* record_event(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    static const char* names[] = {"event", nullptr};
    PyObject* event = Py_None;
    expect(PyArg_ParseTupleAndKeywords(args, kwargs, "|O", const_cast<char**>(names), &event));
    if (event != Py_None && !PyObject_TypeCheck(event, event_type)) raise(PyExc_RuntimeError, "expected event to be a torch.Event object");
    mt_device device = as_stream(self)->device;
    need_backend(device);
    Ref recorded = event == Py_None ? own(new_event(event_type, device, 0)) : Ref::borrow(event);
    record_event_on(as_event(recorded.get()), as_stream(self));
    return recorded.release();
  });
}
PyObject* stream_enter(PyObject* self, PyObject*) {
  return guarded([&] {
    auto* s = as_stream(self);
    if (s->device.type == MT_CPU || s->device.type == MT_META) return incref(self);
    if (!is_present_npu(s->device)) raise(PyExc_RuntimeError, "Cannot access accelerator device when none is available.");
    EnteredStream before;
    check(mt_npu_get_device(&before.device));
    check(mt_npu_set_device(s->device.index));
    check(mt_npu_stream_get(s->device.index, &before.stream));
    check(mt_npu_stream_set(s->device.index, s->id));
    entered_streams().push_back(before);
    return incref(self);
  });
}
PyObject* stream_exit(PyObject* self, PyObject*) {
  return guarded([&] {
    auto* s = as_stream(self);
    if (s->device.type != MT_NPU || entered_streams().empty()) return incref(Py_None);
    EnteredStream before = entered_streams().back();
    entered_streams().pop_back();
    check(mt_npu_stream_set(s->device.index, before.stream));
    check(mt_npu_set_device(before.device));
    return incref(Py_None);
  });
}

PyObject* stream_id(PyObject* self, void*) { return PyLong_FromLongLong(as_stream(self)->id); }
PyObject* stream_device(PyObject* self, void*) { return device_object(as_stream(self)->device); }
PyObject* stream_device_index(PyObject* self, void*) { return PyLong_FromLong(as_stream(self)->device.index); }
PyObject* stream_device_type(PyObject* self, void*) { return PyLong_FromLong(as_stream(self)->device.type); }
PyObject* native_handle(PyObject* self, void*) {
  return guarded([&] {
    auto* s = as_stream(self);
    if (s->device.type != MT_NPU) raise(PyExc_RuntimeError, "Backend doesn't support getting stream native handle.");
    void* pointer = nullptr;
    check(mt_npu_stream_handle(s->device.index, s->id, &pointer));
    return PyLong_FromVoidPtr(pointer);
  });
}

void dealloc_stream(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  if (as_stream(self)->weakrefs) PyObject_ClearWeakRefs(self);
  type->tp_free(self);
  Py_DECREF(type);
}
void dealloc_event(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  if (as_event(self)->weakrefs) PyObject_ClearWeakRefs(self);
  mt_npu_event_release(as_event(self)->event);
  type->tp_free(self);
  Py_DECREF(type);
}

PyMethodDef stream_methods[] = {{"query", stream_query, METH_NOARGS, "Whether all work of the stream is done."},
                                {"synchronize", stream_synchronize, METH_NOARGS, "Waits for all work of the stream."},
                                {"is_capturing", stream_capturing, METH_NOARGS, "Whether a graph is recorded from the stream."},
                                {"wait_event", wait_event, METH_O, "Lets later work wait for an event."},
                                {"wait_stream", wait_stream, METH_O, "Lets later work wait for another stream's work so far."},
                                {"record_event", keywords(record_event), METH_VARARGS | METH_KEYWORDS,
                                 "Records an event here, by default a new one, and returns it."},
                                {"__enter__", stream_enter, METH_NOARGS, "Makes the stream current."},
                                {"__exit__", stream_exit, METH_VARARGS, "Makes the former stream current."},
                                {nullptr, nullptr, 0, nullptr}};
PyGetSetDef stream_getset[] = {{"stream_id", stream_id, nullptr, "The stream's number on its device.", nullptr},
                               {"device", stream_device, nullptr, "The stream's device.", nullptr},
                               {"device_index", stream_device_index, nullptr, "The device's index, -1 for none.", nullptr},
                               {"device_type", stream_device_type, nullptr, "The number of the kind of device.", nullptr},
                               {"native_handle", native_handle, nullptr, "The vendor's handle, an int; NPUs only.", nullptr},
                               {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMemberDef stream_members[] = {{"__weaklistoffset__", T_PYSSIZET, offsetof(StreamObject, weakrefs), READONLY, nullptr},
                                {nullptr, 0, 0, 0, nullptr}};
PyType_Slot stream_slots[] = {{Py_tp_doc, const_cast<char*>("A queue of work on a device; the CPU's is always empty.")},
                              {Py_tp_new, reinterpret_cast<void*>(make_stream)},
                              {Py_tp_dealloc, reinterpret_cast<void*>(dealloc_stream)},
                              {Py_tp_repr, reinterpret_cast<void*>(stream_repr)},
                              {Py_tp_hash, reinterpret_cast<void*>(stream_hash)},
                              {Py_tp_richcompare, reinterpret_cast<void*>(stream_compare)},
                              {Py_tp_methods, stream_methods},
                              {Py_tp_getset, stream_getset},
                              {Py_tp_members, stream_members},
                              {0, nullptr}};
PyType_Spec stream_spec = {"torch.Stream", sizeof(StreamObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, stream_slots};

// ---- Event -----------------------------------------------------------------------------------------------------------------

PyObject* make_event(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    static const Parser parser("Event",
                               {"Event(Device? device=None, *, bool enable_timing=False, bool blocking=False, bool interprocess=False)"});
    StreamArguments given(args, kwargs);
    auto parsed = parser.parse(given.arguments);
    mt_device device = parse_device(parsed, 0);
    Ref object = own(new_event(type, device, (parsed.flag(1) ? MT_NPU_EVENT_TIMING : 0) | (parsed.flag(2) ? MT_NPU_EVENT_BLOCKING : 0)));
    return object.release();
  });
}
uintptr_t event_handle(EventObject* e) {
  void* pointer = nullptr;
  if (e->event) check(mt_npu_event_handle(e->event, &pointer));
  return reinterpret_cast<uintptr_t>(pointer);
}
PyObject* event_repr(PyObject* self) {
  return guarded([&] {
    auto* e = as_event(self);
    return PyUnicode_FromFormat("torch.Event device_type=%s, device_index=%d, event_flag=%d, event_id=%zu", type_name(e->device),
                                e->device.index, int{e->timed}, size_t{event_handle(e)});
  });
}
// The stream argument of record and wait: NULL for None, which means the current stream.
StreamObject* parse_stream(PyObject* args, PyObject* kwargs, mt_device device) {
  static const char* names[] = {"stream", nullptr};
  PyObject* stream = Py_None;
  expect(PyArg_ParseTupleAndKeywords(args, kwargs, "|O", const_cast<char**>(names), &stream));
  if (stream == Py_None) return nullptr;
  if (!PyObject_TypeCheck(stream, stream_type)) raise(PyExc_RuntimeError, "expected stream to be a torch.Stream object");
  mt_device other = as_stream(stream)->device;
  if (other.type == device.type) return as_stream(stream);
  auto upper = [](std::string text) {
    for (char& c : text) c = static_cast<char>(toupper(c));
    return text;
  };
  raise_text(PyExc_RuntimeError, "Event device type " + upper(type_name(device)) + " does not match recording stream's device type " +
                                     upper(type_name(other)) + ".");
}
// The given stream, or the current one of the current device (stored in `current`).
StreamObject* resolve_stream(StreamObject* given, StreamObject& current) {
  if (given) return given;
  current.device = {MT_NPU, npu_index({MT_NPU, -1})};
  check(mt_npu_stream_get(current.device.index, &current.id));
  return &current;
}
PyObject* record_event_on_stream(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    auto* event = as_event(self);
    StreamObject* stream = parse_stream(args, kwargs, event->device);
    if (!event->event) raise_no_events(event->device);
    StreamObject current{};
    record_event_on(event, resolve_stream(stream, current));
    return incref(Py_None);
  });
}
PyObject* make_stream_wait(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    auto* event = as_event(self);
    StreamObject* stream = parse_stream(args, kwargs, event->device);
    StreamObject current{};
    if (event->event) make_stream_wait_for(event, resolve_stream(stream, current));
    return incref(Py_None);
  });
}
PyObject* event_query(PyObject* self, PyObject*) {
  return guarded([&] {
    int32_t done = 1;
    if (mt_npu_event* event = as_event(self)->event) check(mt_npu_event_query(event, &done));
    return PyBool_FromLong(done);
  });
}
PyObject* event_synchronize(PyObject* self, PyObject*) {
  return guarded([&] {
    if (mt_npu_event* event = as_event(self)->event) check_unlocked([&] { return mt_npu_event_synchronize(event); });
    return incref(Py_None);
  });
}
PyObject* elapsed_time(PyObject* self, PyObject* other) {
  return guarded([&]() -> PyObject* {
    if (!PyObject_TypeCheck(other, event_type)) raise(PyExc_RuntimeError, "expected other to be a torch.Event object");
    auto *start = as_event(self), *end = as_event(other);
    if (!start->timed || !end->timed) {
      raise(PyExc_ValueError, "Both events must be created with argument 'enable_timing=True'.");
    }
    if (!event_handle(start) || !event_handle(end)) {
      raise(PyExc_ValueError, "Both events must be recorded before calculating elapsed time.");
    }
    double milliseconds = 0;
    check_unlocked([&] { return mt_npu_event_elapsed(start->event, end->event, &milliseconds); });
    return PyFloat_FromDouble(milliseconds);
  });
}
PyObject* refuse_ipc_handle(PyObject*, PyObject*) {
  PyErr_SetString(PyExc_NotImplementedError, "torch.Event ipc is not supported yet, please open an issue if you need this!");
  return nullptr;
}
PyObject* event_id(PyObject* self, void*) {
  return guarded([&] { return PyLong_FromSize_t(event_handle(as_event(self))); });
}
PyObject* event_device(PyObject* self, void*) { return device_object(as_event(self)->device); }

PyMethodDef event_methods[] = {{"record", keywords(record_event_on_stream), METH_VARARGS | METH_KEYWORDS,
                                "Marks a place in a stream, by default the current one; raises on the CPU."},
                               {"wait", keywords(make_stream_wait), METH_VARARGS | METH_KEYWORDS,
                                "Lets a stream's later work, by default the current one's, wait."},
                               {"query", event_query, METH_NOARGS, "Whether the work before the event is done."},
                               {"synchronize", event_synchronize, METH_NOARGS, "Waits for the work before the event."},
                               {"elapsed_time", elapsed_time, METH_O, "Milliseconds to another event; both with enable_timing=True."},
                               {"ipc_handle", refuse_ipc_handle, METH_NOARGS, "Raises: not supported."},
                               {"from_ipc_handle", refuse_ipc_handle, METH_VARARGS | METH_CLASS, "Raises: not supported."},
                               {nullptr, nullptr, 0, nullptr}};
PyGetSetDef event_getset[] = {{"event_id", event_id, nullptr, "The vendor's handle, an int; 0 before it is recorded.", nullptr},
                              {"device", event_device, nullptr, "The event's device.", nullptr},
                              {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMemberDef event_members[] = {{"__weaklistoffset__", T_PYSSIZET, offsetof(EventObject, weakrefs), READONLY, nullptr},
                               {nullptr, 0, 0, 0, nullptr}};
PyType_Slot event_slots[] = {{Py_tp_doc, const_cast<char*>("A place in a stream's work that can be waited for and timed.")},
                             {Py_tp_new, reinterpret_cast<void*>(make_event)},
                             {Py_tp_dealloc, reinterpret_cast<void*>(dealloc_event)},
                             {Py_tp_repr, reinterpret_cast<void*>(event_repr)},
                             {Py_tp_methods, event_methods},
                             {Py_tp_getset, event_getset},
                             {Py_tp_members, event_members},
                             {0, nullptr}};
PyType_Spec event_spec = {"torch.Event", sizeof(EventObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, event_slots};

}  // namespace

bool is_stream(PyObject* o) { return PyObject_TypeCheck(o, stream_type); }

PyObject* new_stream(PyTypeObject* type, mt_device device, int64_t id) {
  PyObject* object = own(type->tp_alloc(type, 0)).release();
  as_stream(object)->id = id;
  as_stream(object)->device = device;
  return object;
}
PyObject* new_event(PyTypeObject* type, mt_device device, int32_t flags) {
  Ref object = own(type->tp_alloc(type, 0));
  auto* event = as_event(object.get());
  event->device = device;
  event->timed = flags & MT_NPU_EVENT_TIMING;
  if (device.type == MT_NPU) check(mt_npu_event_create(flags, &event->event));
  return object.release();
}

void init_stream(PyObject* module) {
  stream_type = make_type(&stream_spec);
  event_type = make_type(&event_spec);
  add_object(module, "Stream", reinterpret_cast<PyObject*>(stream_type));
  add_object(module, "Event", reinterpret_cast<PyObject*>(event_type));
}

}  // namespace mt::py
