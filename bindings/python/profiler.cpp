// _C._profiler: recordings, ranges, and calls of Python functions as ranges.
#include "mindtorch/profiler.h"

#include <cstring>
#include <vector>

#include "operators.h"
#include "tensor.h"
#include "types.h"

namespace mt::py {
namespace {

constexpr int32_t python_call = 9, module_call = 10;  // kinds

int64_t begin_range(const char* name, int32_t kind) {
  int64_t token = -1;
  check(mt_profiler_begin(name, kind, &token));
  return token;
}

// ---- calls of Python functions ----

thread_local std::vector<int64_t> open_calls;

int64_t begin_frame(PyFrameObject* frame, int line) {
  Ref code = Ref(reinterpret_cast<PyObject*>(PyFrame_GetCode(frame)));
  auto* c = reinterpret_cast<PyCodeObject*>(code.get());
  Ref text = own(PyUnicode_FromFormat("%U(%d): %U", c->co_filename, line ? line : c->co_firstlineno, c->co_name));
  return begin_range(PyUnicode_AsUTF8(text.get()), python_call);
}

// The module whose `forward` the frame runs.
PyObject* find_module_of_frame(PyFrameObject* frame) {
  static PyObject* type = import_from_root("nn.modules.module", "Module").release();
  Ref code = Ref(reinterpret_cast<PyObject*>(PyFrame_GetCode(frame)));
  if (PyUnicode_CompareWithASCIIString(reinterpret_cast<PyCodeObject*>(code.get())->co_name, "forward")) return nullptr;
  Ref locals = own(PyObject_GetAttrString(reinterpret_cast<PyObject*>(frame), "f_locals"));
  PyObject* self = PyDict_Check(locals.get()) ? PyDict_GetItemString(locals.get(), "self") : nullptr;
  return self && PyObject_TypeCheck(self, reinterpret_cast<PyTypeObject*>(type)) ? self : nullptr;
}

int trace_python_call(PyObject*, PyFrameObject* frame, int what, PyObject* argument) {
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  guarded_int([&] {
    if (what == PyTrace_CALL) {
      int64_t token = -1;
      if (PyObject* module = find_module_of_frame(frame)) {
        Ref text = own(
            PyUnicode_FromFormat("nn.Module: %s@%p", std::strrchr((std::string(".") + Py_TYPE(module)->tp_name).c_str(), '.') + 1, module));
        token = begin_range(PyUnicode_AsUTF8(text.get()), module_call);
      }
      const int64_t inner = begin_frame(frame, 0);
      open_calls.push_back(token < 0 ? inner : token);  // the end of the module's call also ends the ranges inside it
    } else if (what == PyTrace_C_CALL) {
      Ref text = own(PyObject_Repr(argument));
      open_calls.push_back(begin_range(PyUnicode_AsUTF8(text.get()), python_call));
    } else if (what != PyTrace_LINE && !open_calls.empty()) {
      mt_profiler_end(open_calls.back());
      open_calls.pop_back();
    }
    return 0;
  });
  PyErr_Clear();
  PyErr_Restore(type, value, trace);
  return 0;
}

void begin_outer_frames() {
  std::vector<Ref> frames;
  for (PyFrameObject* frame = PyThreadState_GetFrame(PyThreadState_Get()); frame; frame = PyFrame_GetBack(frame))
    frames.push_back(Ref(reinterpret_cast<PyObject*>(frame)));
  open_calls.clear();
  for (size_t i = frames.size(); i-- > 0;) {
    auto* frame = reinterpret_cast<PyFrameObject*>(frames[i].get());
    open_calls.push_back(begin_frame(frame, PyFrame_GetLineNumber(frame)));
  }
}

// ---- recordings ----

PyObject* start_profiler(PyObject*, PyObject* args) {
  return guarded([&] {
    mt_profiler_options options{};
    options.struct_size = sizeof options;
    int with_calls = 0;
    expect(PyArg_ParseTuple(args, "ppp", &options.record_shapes, &options.profile_memory, &with_calls));
    check(mt_profiler_start(&options));
    if (with_calls) {
      begin_outer_frames();
      PyEval_SetProfile(trace_python_call, nullptr);
    }
    return incref(Py_None);
  });
}

Ref make_int_list(const int64_t* items, int64_t n) {
  Ref list = own(PyList_New(n));
  for (int64_t i = 0; i < n; ++i) PyList_SET_ITEM(list.get(), i, own(PyLong_FromLongLong(items[i])).release());
  return list;
}

// Per argument (dtype, sizes, strides, value); for a tensor list, dtype, sizes and strides are lists.
Ref format_inputs(const mt_profile_event& event) {
  Ref all = own(PyList_New(0));
  for (int64_t i = 0; i < event.n_inputs; ++i) {
    const mt_profile_input& input = event.inputs[i];
    Ref entry;
    if (input.value.tag == MT_TAG_TENSORS) {
      Ref sizes = own(PyList_New(0)), strides = own(PyList_New(0));
      for (int64_t n = input.value.as.i; n > 0; --n) {
        const mt_profile_input& t = event.inputs[++i];
        expect_zero(PyList_Append(sizes.get(), make_int_list(t.sizes, t.ndim < 0 ? 0 : t.ndim).get()));
        expect_zero(PyList_Append(strides.get(), make_int_list(t.strides, t.ndim < 0 ? 0 : t.ndim).get()));
      }
      entry = own(Py_BuildValue("(sOOO)", "TensorList", sizes.get(), strides.get(), Py_None));
    } else if (input.ndim >= 0) {
      entry = own(Py_BuildValue("(iNNO)", input.dtype, make_int_list(input.sizes, input.ndim).release(),
                                make_int_list(input.strides, input.ndim).release(), Py_None));
    } else {
      mt_value value = input.value;
      value.flags &= ~MT_FLAG_OWNED;
      if (value.tag >= MT_TAG_DTYPE && value.tag <= MT_TAG_MEMORY_FORMAT) value.tag = MT_TAG_INT;
      const char* type = value.tag == MT_TAG_NONE ? "" : value.tag >= MT_TAG_INTS ? "ScalarList" : "Scalar";
      entry = own(Py_BuildValue("(s[][]N)", type, to_python(value)));
    }
    expect_zero(PyList_Append(all.get(), entry.get()));
  }
  return all;
}

PyObject* stop_profiler(PyObject*, PyObject*) {
  return guarded([&] {
    if (!mt_profiler_is_active()) return incref(Py_None);
    if (!open_calls.empty()) PyEval_SetProfile(nullptr, nullptr);
    open_calls.clear();
    int64_t count = 0;
    check(mt_profiler_stop(&count));
    Ref events = own(PyList_New(count));
    for (int64_t i = 0; i < count; ++i) {
      mt_profile_event e{};
      e.struct_size = sizeof e;
      check(mt_profiler_event(i, &e));
      PyList_SET_ITEM(events.get(), i,
                      own(Py_BuildValue("(ssiLLLLiiiLLKN)", e.name, e.overload, e.kind, e.start, e.end, e.parent, e.sequence_nr, e.thread,
                                        e.system_thread, e.forward_thread, e.bytes, e.total_bytes, e.address, format_inputs(e).release()))
                          .release());
    }
    mt_profiler_clear();
    return events.release();
  });
}

PyObject* begin_named_range(PyObject*, PyObject* name) {
  return guarded([&] {
    const char* text = PyUnicode_AsUTF8(name);
    expect(text);
    return PyLong_FromLongLong(begin_range(text, MT_PROFILE_RANGE));
  });
}
PyObject* end_range(PyObject*, PyObject* token) {
  return guarded([&] {
    mt_profiler_end(to_int64(token));
    return incref(Py_None);
  });
}
PyObject* is_profiler_active(PyObject*, PyObject*) { return PyBool_FromLong(mt_profiler_is_active()); }

PyMethodDef functions[] = {{"start", start_profiler, METH_VARARGS, nullptr},      {"stop", stop_profiler, METH_NOARGS, nullptr},
                           {"enter", begin_named_range, METH_O, nullptr},         {"exit", end_range, METH_O, nullptr},
                           {"enabled", is_profiler_active, METH_NOARGS, nullptr}, {nullptr, nullptr, 0, nullptr}};

}  // namespace

void init_profiler(PyObject*) { add_submodule("_profiler", functions); }

}  // namespace mt::py
