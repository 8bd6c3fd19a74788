// _C._processes: the works, groups and backends of mindtorch/distributed.h that torch.distributed's classes wrap.
#include "distributed.h"

#include <vector>

#include "tensor.h"

namespace mt::py {
namespace {

struct WorkObject {
  PyObject_HEAD mt_work* work;
};
struct GroupObject {
  PyObject_HEAD mt_group* group;
};
PyTypeObject *work_type, *group_type;

mt_work* work_of(PyObject* o) { return reinterpret_cast<WorkObject*>(o)->work; }
mt_group* group_of(PyObject* o) { return reinterpret_cast<GroupObject*>(o)->group; }

void dealloc_work(PyObject* self) {
  dealloc_with(self, [work = work_of(self)] { mt_work_release(work); });
}
void dealloc_group(PyObject* self) {
  dealloc_with(self, [group = group_of(self)] { mt_group_release(group); });
}

// ---- works ------------------------------------------------------------------------------------------------------------------

// Converts a status to an exception; the caller still owns the status.
Ref exception_of(const mt_status* status) {
  try {
    raise_status(mt_status_create(mt_status_kind(status), mt_status_message(status)));
  } catch (const PythonError&) {
  }
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  Py_XDECREF(type);
  Py_XDECREF(trace);
  return own(value);
}

PyObject* work_wait(PyObject* self, PyObject* timeout) {
  return guarded([&] {
    const int64_t time = milliseconds_of(timeout);
    unlocked([&] { return mt_work_wait(work_of(self), time); });
    return incref(Py_True);
  });
}
PyObject* work_is_completed(PyObject* self, PyObject*) {
  return guarded([&] {
    int32_t out = 0;
    check(mt_work_is_completed(work_of(self), &out));
    return PyBool_FromLong(out);
  });
}
PyObject* work_exception(PyObject* self, PyObject*) {
  return guarded([&] {
    mt_status* error = nullptr;
    check(mt_work_error(work_of(self), &error));
    if (!error) return incref(Py_None);
    Ref exception = exception_of(error);
    mt_status_release(error);
    return exception.release();
  });
}
PyObject* work_source_rank(PyObject* self, PyObject*) {
  return guarded([&] {
    int32_t out = 0;
    check(mt_work_source_rank(work_of(self), &out));
    return PyLong_FromLong(out);
  });
}
void call_python_callback(void* user, const mt_status* error) {
  if (!interpreter_is_alive()) return;
  Gil gil;
  Ref function(static_cast<PyObject*>(user));
  try {
    Ref exception = error ? exception_of(error) : Ref::borrow(Py_None);
    own(PyObject_CallOneArg(function.get(), exception.get()));
  } catch (const PythonError&) {
    PyErr_WriteUnraisable(function.get());
  }
}
PyObject* work_then(PyObject* self, PyObject* function) {
  return guarded([&] {
    Ref held = Ref::borrow(function);
    unlocked([&] { return mt_work_then(work_of(self), call_python_callback, held.get()); });
    held.release();
    return incref(Py_None);
  });
}

PyMethodDef work_methods[] = {{"wait", work_wait, METH_O, nullptr},
                              {"is_completed", work_is_completed, METH_NOARGS, nullptr},
                              {"exception", work_exception, METH_NOARGS, nullptr},
                              {"source_rank", work_source_rank, METH_NOARGS, nullptr},
                              {"then", work_then, METH_O, nullptr},
                              {nullptr, nullptr, 0, nullptr}};

// ---- groups -----------------------------------------------------------------------------------------------------------------

PyObject* create_group(PyObject*, PyObject* args) {
  return guarded([&] {
    mt_group_options options{};
    options.struct_size = sizeof options;
    PyObject *store, *timeout;
    expect(PyArg_ParseTuple(args, "sO!iiOs", &options.backend, store_type, &store, &options.rank, &options.size, &timeout, &options.name));
    options.store = store_of(store);
    options.timeout = milliseconds_of(timeout);
    mt_group* out;
    unlocked([&] { return mt_group_create(&options, &out); });
    return wrap_handle(group_type, out, &GroupObject::group);
  });
}

struct TensorList {
  std::vector<mt_tensor*> items;
  explicit TensorList(PyObject* list) {
    Ref fast = own(PySequence_Fast(list, "tensors must be a list"));
    for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(fast.get()); ++i) {
      PyObject* item = PySequence_Fast_GET_ITEM(fast.get(), i);
      if (!is_tensor(item)) raise(PyExc_TypeError, "expected a Tensor, but got %s", Py_TYPE(item)->tp_name);
      items.push_back(handle(item));
    }
  }
};
std::vector<int64_t> ints_of(PyObject* list) {
  Ref fast = own(PySequence_Fast(list, "sizes must be a list"));
  std::vector<int64_t> out;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(fast.get()); ++i) out.push_back(to_int64(PySequence_Fast_GET_ITEM(fast.get(), i)));
  return out;
}

// start(kind, inputs, outputs, reduction, root, flags, tag, timeout, is_async, input_splits, output_splits) -> a work
PyObject* group_start(PyObject* self, PyObject* args) {
  return guarded([&] {
    mt_collective what{};
    what.struct_size = sizeof what;
    PyObject *inputs, *outputs, *timeout, *input_splits, *output_splits;
    long long tag;
    expect(PyArg_ParseTuple(args, "iOOiiiLOpOO", &what.kind, &inputs, &outputs, &what.reduction, &what.root, &what.flags, &tag, &timeout,
                            &what.is_async, &input_splits, &output_splits));
    const TensorList given(inputs), taken(outputs);
    const auto from = ints_of(input_splits), to = ints_of(output_splits);
    what.tag = tag;
    what.timeout = milliseconds_of(timeout);
    what.inputs = given.items.data(), what.n_inputs = int64_t(given.items.size());
    what.outputs = taken.items.data(), what.n_outputs = int64_t(taken.items.size());
    what.input_splits = from.data(), what.n_input_splits = int64_t(from.size());
    what.output_splits = to.data(), what.n_output_splits = int64_t(to.size());
    mt_work* work;
    unlocked([&] { return mt_group_start(group_of(self), &what, &work); });
    return wrap_handle(work_type, work, &WorkObject::work);
  });
}
PyObject* group_set_timeout(PyObject* self, PyObject* timeout) {
  return guarded([&] {
    check(mt_group_set_timeout(group_of(self), milliseconds_of(timeout)));
    return incref(Py_None);
  });
}
PyObject* group_timeout(PyObject* self, void*) {
  return guarded([&] {
    int64_t out = 0;
    check(mt_group_timeout(group_of(self), &out));
    return delta_of(out);
  });
}
PyObject* group_sequence(PyObject* self, void*) {
  return guarded([&] {
    int64_t out = 0;
    check(mt_group_sequence(group_of(self), &out));
    return PyLong_FromLongLong(out);
  });
}
PyObject* group_abort(PyObject* self, PyObject*) {
  return guarded([&] {
    unlocked([&] { return mt_group_abort(group_of(self)); });
    return incref(Py_None);
  });
}
PyMethodDef group_methods[] = {{"start", group_start, METH_VARARGS, nullptr},
                               {"set_timeout", group_set_timeout, METH_O, nullptr},
                               {"abort", group_abort, METH_NOARGS, nullptr},
                               {nullptr, nullptr, 0, nullptr}};
PyGetSetDef group_properties[] = {{"timeout", group_timeout, nullptr, nullptr, nullptr},
                                  {"sequence", group_sequence, nullptr, nullptr, nullptr},
                                  {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyObject* is_backend_available(PyObject*, PyObject* name) {
  return guarded([&] {
    const char* text = key_of(name);
    int32_t out = 0;
    unlocked([&] { return mt_backend_is_available(text, &out); });
    return PyBool_FromLong(out);
  });
}
PyObject* load_backend(PyObject*, PyObject* path) {
  return guarded([&] {
    const char* text = key_of(path);
    unlocked([&] { return mt_backend_load(text); });
    return incref(Py_None);
  });
}

// Returns (rank, size, store) as the launcher of the processes, such as mpirun, provides them.
PyObject* get_world_from_launcher(PyObject*, PyObject* name) {
  return guarded([&] {
    const char* text = key_of(name);
    int32_t rank = 0, size = 0;
    mt_store* store = nullptr;
    unlocked([&] { return mt_backend_world(text, &rank, &size, &store); });
    return own(Py_BuildValue("(iiN)", rank, size, wrap_store(store))).release();
  });
}

PyMethodDef functions[] = {{"world", get_world_from_launcher, METH_O, nullptr},
                           {"group", create_group, METH_VARARGS, nullptr},
                           {"is_backend_available", is_backend_available, METH_O, nullptr},
                           {"load_backend", load_backend, METH_O, nullptr},
                           {nullptr, nullptr, 0, nullptr}};

struct Constant {
  const char* name;
  int value;
};
constexpr Constant constants[] = {
    {"ALL_REDUCE", MT_ALL_REDUCE},
    {"REDUCE", MT_REDUCE},
    {"BROADCAST", MT_BROADCAST},
    {"ALL_GATHER", MT_ALL_GATHER},
    {"ALL_GATHER_SINGLE", MT_ALL_GATHER_SINGLE},
    {"GATHER", MT_GATHER},
    {"SCATTER", MT_SCATTER},
    {"REDUCE_SCATTER", MT_REDUCE_SCATTER},
    {"REDUCE_SCATTER_SINGLE", MT_REDUCE_SCATTER_SINGLE},
    {"ALL_TO_ALL", MT_ALL_TO_ALL},
    {"ALL_TO_ALL_SINGLE", MT_ALL_TO_ALL_SINGLE},
    {"SEND", MT_SEND},
    {"RECEIVE", MT_RECEIVE},
    {"BARRIER", MT_BARRIER},
    {"MONITORED_BARRIER", MT_MONITORED_BARRIER},
    {"WAIT_ALL_RANKS", MT_WAIT_ALL_RANKS},
};

}  // namespace

void init_distributed(PyObject*) {
  work_type = make_handle_type("torch._C._processes.Work", sizeof(WorkObject), dealloc_work, work_methods, nullptr);
  group_type = make_handle_type("torch._C._processes.Group", sizeof(GroupObject), dealloc_group, group_methods, group_properties);
  PyObject* module = add_submodule("_processes", functions);
  init_stores(module);
  for (const Constant& constant : constants) expect_zero(PyModule_AddIntConstant(module, constant.name, constant.value));
}

}  // namespace mt::py
