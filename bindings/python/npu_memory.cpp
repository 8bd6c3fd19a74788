// NPUs in _C: the caching allocator's statistics and segments, raw memory, and graphs.

#include "stream.h"

namespace mt::py {
namespace {

mt_status* add_figure_to_dict(void* dict, const char* name, int64_t value) {
  Ref number(PyLong_FromLongLong(value));
  if (number && PyDict_SetItemString(static_cast<PyObject*>(dict), name, number.get()) == 0) return nullptr;
  return status_from_exception();
}

int32_t to_device_index(PyObject* number) { return static_cast<int32_t>(to_int64(number)); }

template <mt_status* (*F)()>
PyObject* call_and_return_none(PyObject*, PyObject*) {
  return guarded([] {
    check_unlocked([] { return F(); });
    return incref(Py_None);
  });
}
template <mt_status* (*F)(int32_t)>
PyObject* call_with_device_index(PyObject*, PyObject* index) {
  return guarded([&] {
    check(F(to_device_index(index)));
    return incref(Py_None);
  });
}

PyObject* memory_info(PyObject*, PyObject* index) {
  return guarded([&] {
    int64_t free_bytes = 0, total = 0;
    check(mt_npu_memory_info(to_device_index(index), &free_bytes, &total));
    return Py_BuildValue("(LL)", static_cast<long long>(free_bytes), static_cast<long long>(total));
  });
}
PyObject* memory_stats(PyObject*, PyObject* index) {
  return guarded([&] {
    int32_t device = to_device_index(index);
    return collect_figures([=](mt_npu_figure_fn visit, void* user) { return mt_npu_memory_stats(device, visit, user); });
  });
}
PyObject* host_memory_stats(PyObject*, PyObject*) {
  return guarded([] { return collect_figures(mt_npu_host_memory_stats); });
}
PyObject* get_memory_fraction(PyObject*, PyObject* index) {
  return guarded([&] {
    double fraction = 0;
    check(mt_npu_memory_fraction_get(to_device_index(index), &fraction));
    return PyFloat_FromDouble(fraction);
  });
}
PyObject* set_memory_fraction(PyObject*, PyObject* args) {
  return guarded([&] {
    double fraction;
    int device;
    expect(PyArg_ParseTuple(args, "di", &fraction, &device));
    check(mt_npu_memory_fraction_set(device, fraction));
    return incref(Py_None);
  });
}
PyObject* set_allocator_settings(PyObject*, PyObject* settings) {
  return guarded([&] {
    const char* text = PyUnicode_AsUTF8(settings);
    expect(text != nullptr);
    check(mt_npu_allocator_settings(text));
    return incref(Py_None);
  });
}
PyObject* get_allocator_backend_name(PyObject*, PyObject*) { return PyUnicode_FromString("native"); }

// Takes a stream by the vendor's handle; 0 is the default stream.
PyObject* allocate_raw_memory(PyObject*, PyObject* args) {
  return guarded([&] {
    long long size;
    unsigned long long handle;
    expect(PyArg_ParseTuple(args, "LK", &size, &handle));
    int32_t device = npu_index({MT_NPU, -1});
    int64_t stream = 0;
    if (handle) check(mt_npu_stream_from_handle(device, reinterpret_cast<void*>(handle), &stream));
    void* pointer = nullptr;
    check(mt_npu_allocate(device, size, stream, &pointer));
    return PyLong_FromVoidPtr(pointer);
  });
}
PyObject* free_raw_memory(PyObject*, PyObject* address) {
  return guarded([&] {
    void* pointer = PyLong_AsVoidPtr(address);
    expect(!PyErr_Occurred());
    check(mt_npu_free(pointer));
    return incref(Py_None);
  });
}

// ---- segments -------------------------------------------------------------------------------------------------------------

struct Snapshot {
  PyObject* segments;
  bool of_one_pool;
  int64_t owner, id;
};

PyObject* block_object(const mt_npu_block& block) {
  static constexpr const char* states[] = {"inactive", "active_allocated", "active_awaiting_free"};
  Ref frames = own(PyList_New(0));
  return Py_BuildValue("{s:L,s:L,s:L,s:s,s:O}", "address", static_cast<long long>(block.address), "size",
                       static_cast<long long>(block.size), "requested_size", static_cast<long long>(block.requested_size), "state",
                       states[block.state], "frames", frames.get());
}

mt_status* append_segment(void* user, const mt_npu_segment* s) {
  return callback([&] {
    auto& snapshot = *static_cast<Snapshot*>(user);
    if (snapshot.of_one_pool && (s->pool_owner != snapshot.owner || s->pool_id != snapshot.id)) return;
    Ref blocks = own(PyList_New(0)), frames = own(PyList_New(0));
    for (int32_t i = 0; i < s->n_blocks; ++i) expect_zero(PyList_Append(blocks.get(), own(block_object(s->blocks[i])).get()));
    Ref segment = own(Py_BuildValue("{s:i,s:L,s:L,s:L,s:L,s:L,s:L,s:s,s:(LL),s:O,s:O,s:O}", "device", s->device, "address",
                                    static_cast<long long>(s->address), "total_size", static_cast<long long>(s->total_size),
                                    "allocated_size", static_cast<long long>(s->allocated_size), "active_size",
                                    static_cast<long long>(s->active_size), "requested_size", static_cast<long long>(s->requested_size),
                                    "stream", static_cast<long long>(s->stream), "segment_type", s->is_large ? "large" : "small",
                                    "segment_pool_id", static_cast<long long>(s->pool_owner), static_cast<long long>(s->pool_id),
                                    "is_expandable", Py_False, "frames", frames.get(), "blocks", blocks.get()));
    expect_zero(PyList_Append(snapshot.segments, segment.get()));
  });
}
PyObject* memory_snapshot(PyObject*, PyObject* pool) {
  return guarded([&] {
    Ref segments = own(PyList_New(0));
    Snapshot snapshot{segments.get(), pool != Py_None, 0, 0};
    if (pool != Py_None) {
      long long owner, id;
      expect(PyArg_ParseTuple(pool, "LL", &owner, &id));
      snapshot.owner = owner, snapshot.id = id;
    }
    check(mt_npu_memory_snapshot(append_segment, &snapshot));
    Ref traces = own(PyList_New(0));
    for (int32_t i = 0; i < npu_count(); ++i) expect_zero(PyList_Append(traces.get(), own(PyList_New(0)).get()));
    return Py_BuildValue("{s:O,s:O}", "segments", segments.get(), "device_traces", traces.get());
  });
}

// ---- graphs ---------------------------------------------------------------------------------------------------------------

struct GraphObject {
  PyObject_HEAD mt_npu_graph* graph;
};
mt_npu_graph* graph_of(PyObject* self) { return reinterpret_cast<GraphObject*>(self)->graph; }

PyObject* make_graph(PyTypeObject* type, PyObject*, PyObject*) {
  return guarded([&] {
    Ref object = own(type->tp_alloc(type, 0));
    check(mt_npu_graph_create(&reinterpret_cast<GraphObject*>(object.get())->graph));
    return object.release();
  });
}
void dealloc_graph(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  if (graph_of(self)) mt_npu_graph_release(graph_of(self));
  type->tp_free(self);
  Py_DECREF(type);
}
PyObject* capture_begin(PyObject* self, PyObject* args) {
  return guarded([&] {
    long long owner, id;
    int mode;
    expect(PyArg_ParseTuple(args, "(LL)i", &owner, &id, &mode));
    check(mt_npu_graph_capture_begin(graph_of(self), owner, id, mode));
    return incref(Py_None);
  });
}
template <mt_status* (*F)(mt_npu_graph*)>
PyObject* call_with_graph(PyObject* self, PyObject*) {
  return guarded([&] {
    check_unlocked([&] { return F(graph_of(self)); });
    return incref(Py_None);
  });
}
PyObject* graph_pool(PyObject* self, PyObject*) {
  return guarded([&] {
    int64_t owner = 0, id = 0;
    check(mt_npu_graph_pool(graph_of(self), &owner, &id));
    return Py_BuildValue("(LL)", static_cast<long long>(owner), static_cast<long long>(id));
  });
}
PyObject* graph_pool_handle(PyObject*, PyObject*) {
  return guarded([] {
    int64_t owner = 0, id = 0;
    check(mt_npu_graph_pool_new(&owner, &id));
    return Py_BuildValue("(LL)", static_cast<long long>(owner), static_cast<long long>(id));
  });
}
PyObject* is_capturing(PyObject*, PyObject*) {
  return guarded([] {
    int32_t device = npu_index({MT_NPU, -1}), capturing = 0;
    int64_t stream = 0;
    check(mt_npu_stream_get(device, &stream));
    check(mt_npu_stream_is_capturing(device, stream, &capturing));
    return PyBool_FromLong(capturing);
  });
}

PyMethodDef graph_methods[] = {{"capture_begin", capture_begin, METH_VARARGS, "Starts the recording: ((owner, id) of a pool, mode)."},
                               {"capture_end", call_with_graph<mt_npu_graph_capture_end>, METH_NOARGS, "Ends the recording."},
                               {"replay", call_with_graph<mt_npu_graph_replay>, METH_NOARGS,
                                "Does what was recorded on the current stream."},
                               {"reset", call_with_graph<mt_npu_graph_reset>, METH_NOARGS, "Forgets what was recorded, and its memory."},
                               {"pool", graph_pool, METH_NOARGS, "The name of the graph's pool of memory."},
                               {nullptr, nullptr, 0, nullptr}};
PyType_Slot graph_slots[] = {{Py_tp_doc, const_cast<char*>("A recording of work that can be done again.")},
                             {Py_tp_new, reinterpret_cast<void*>(make_graph)},
                             {Py_tp_dealloc, reinterpret_cast<void*>(dealloc_graph)},
                             {Py_tp_methods, graph_methods},
                             {0, nullptr}};
PyType_Spec graph_spec = {"torch._C._NPUGraphBase", sizeof(GraphObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, graph_slots};

PyMethodDef functions[] = {{"_npu_memGetInfo", memory_info, METH_O, nullptr},
                           {"_npu_memoryStats", memory_stats, METH_O, nullptr},
                           {"_npu_resetPeakMemoryStats", call_with_device_index<mt_npu_memory_reset_peak>, METH_O, nullptr},
                           {"_npu_resetAccumulatedMemoryStats", call_with_device_index<mt_npu_memory_reset_accumulated>, METH_O, nullptr},
                           {"_npu_memorySnapshot", memory_snapshot, METH_O, nullptr},
                           {"_npu_emptyCache", call_and_return_none<mt_npu_empty_cache>, METH_NOARGS, nullptr},
                           {"_npu_getMemoryFraction", get_memory_fraction, METH_O, nullptr},
                           {"_npu_setMemoryFraction", set_memory_fraction, METH_VARARGS, nullptr},
                           {"_npu_setAllocatorSettings", set_allocator_settings, METH_O, nullptr},
                           {"_npu_getAllocatorBackend", get_allocator_backend_name, METH_NOARGS, nullptr},
                           {"_npu_npuCachingAllocator_raw_alloc", allocate_raw_memory, METH_VARARGS, nullptr},
                           {"_npu_npuCachingAllocator_raw_delete", free_raw_memory, METH_O, nullptr},
                           {"_npu_hostMemoryStats", host_memory_stats, METH_NOARGS, nullptr},
                           {"_npu_resetPeakHostMemoryStats", call_and_return_none<mt_npu_host_memory_reset_peak>, METH_NOARGS, nullptr},
                           {"_npu_resetAccumulatedHostMemoryStats", call_and_return_none<mt_npu_host_memory_reset_accumulated>, METH_NOARGS,
                            nullptr},
                           {"_npu_hostEmptyCache", call_and_return_none<mt_npu_host_empty_cache>, METH_NOARGS, nullptr},
                           {"_npu_graphPoolHandle", graph_pool_handle, METH_NOARGS, nullptr},
                           {"_npu_isCurrentStreamCapturing", is_capturing, METH_NOARGS, nullptr},
                           {nullptr, nullptr, 0, nullptr}};

}  // namespace

PyObject* collect_figures(const std::function<mt_status*(mt_npu_figure_fn, void*)>& source) {
  Ref dict = own(PyDict_New());
  check(source(add_figure_to_dict, dict.get()));
  return dict.release();
}

void add_npu_memory(PyObject* module) {
  add_object(module, "_NPUGraphBase", reinterpret_cast<PyObject*>(make_type(&graph_spec)));
  expect_zero(PyModule_AddFunctions(module, functions));
}

}  // namespace mt::py
