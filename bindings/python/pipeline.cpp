// _C._pipeline_*: enters, leaves and flushes a pipeline, and finds the source line that queued a call.
#include <cstdio>
#include <cstring>

#include "mindtorch/pipeline.h"
#include "tensor.h"

namespace mt::py {
namespace {

// The innermost frame outside the package.
void write_python_call_site(void*, char* text, int64_t size) {
  if (!Py_IsInitialized()) return;
  Gil gil;
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  PyFrameObject* frame = PyThreadState_GetFrame(PyThreadState_Get());
  while (frame) {
    Ref code = Ref(reinterpret_cast<PyObject*>(PyFrame_GetCode(frame)));
    Ref file = Ref(PyObject_GetAttrString(code.get(), "co_filename"));
    const char* name = file.get() ? PyUnicode_AsUTF8(file.get()) : nullptr;
    if (name && !std::strstr(name, "/mindtorch/_tree/")) {
      std::snprintf(text, static_cast<size_t>(size), "%s:%d", name, PyFrame_GetLineNumber(frame));
      break;
    }
    PyFrameObject* outer = PyFrame_GetBack(frame);
    Py_DECREF(frame);
    frame = outer;
  }
  Py_XDECREF(frame);
  PyErr_Clear();
  PyErr_Restore(type, value, trace);
}

template <mt_status* (*Function)(void)>
PyObject* call_and_return_none(PyObject*, PyObject*) {
  return guarded([] {
    ensure_thread();
    check(Function());
    return incref(Py_None);
  });
}
PyObject* get_pipeline_statistics(PyObject*, PyObject*) {
  return guarded([] {
    mt_pipeline_stats s{};
    s.struct_size = sizeof s;
    check(mt_pipeline_get_stats(&s));
    return own(Py_BuildValue("{sLsLsLsL}", "queued", static_cast<long long>(s.queued), "flushes", static_cast<long long>(s.flushes),
                             "chains", static_cast<long long>(s.chains), "chained", static_cast<long long>(s.chained)))
        .release();
  });
}

PyMethodDef functions[] = {{"_pipeline_enter", call_and_return_none<mt_pipeline_enter>, METH_NOARGS, nullptr},
                           {"_pipeline_exit", call_and_return_none<mt_pipeline_exit>, METH_NOARGS, nullptr},
                           {"_pipeline_flush", call_and_return_none<mt_pipeline_flush>, METH_NOARGS, nullptr},
                           {"_pipeline_stats", get_pipeline_statistics, METH_NOARGS, nullptr},
                           {nullptr, nullptr, 0, nullptr}};

}  // namespace

void init_pipeline(PyObject* module) {
  expect_zero(PyModule_AddFunctions(module, functions));
  check(mt_pipeline_site_handler_set(write_python_call_site, nullptr));
}

}  // namespace mt::py
