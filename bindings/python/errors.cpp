// Converts statuses to Python exceptions and back, keeping the exception object.
#include <cstdarg>
#include <cstring>
#include <mutex>
#include <unordered_map>

#include "common.h"

namespace mt::py {
namespace {

PyObject* out_of_memory_error = nullptr;
PyObject* linalg_error = nullptr;
PyObject* accelerator_error = nullptr;

struct ForeignObjects {
  std::mutex mutex;
  std::unordered_map<void*, int64_t> counts;
};
ForeignObjects& foreign_objects() {
  static auto* objects = new ForeignObjects;  // never destroyed: `destroy` functions may run at exit
  return *objects;
}

PyObject* exception_type(const char* kind) {
  if (!std::strcmp(kind, "OutOfMemoryError")) return out_of_memory_error;
  if (!std::strcmp(kind, "LinAlgError") || !std::strcmp(kind, "_LinAlgError")) return linalg_error;
  if (!std::strcmp(kind, "AcceleratorError")) return accelerator_error;
  // The exceptions of process groups and stores are defined in Python, where programs may need them without a group.
  if (!std::strncmp(kind, "Dist", 4) || !std::strcmp(kind, "QueueEmptyError"))
    return import_from_root("distributed._errors", kind).release();  // lives as long as its module
  PyObject* type = PyDict_GetItemString(PyEval_GetBuiltins(), kind);
  return type && PyExceptionClass_Check(type) ? type : PyExc_RuntimeError;
}

mt_status* issue_python_warning(void*, const char* category, const char* message) {
  return callback([&] {
    PyObject* type = PyDict_GetItemString(PyEval_GetBuiltins(), category);
    if (!type || !PyType_Check(type)) type = PyExc_UserWarning;
    expect_zero(PyErr_WarnEx(type, message, 1));
  });
}

PyObject* make_exception(PyObject* module, const char* name, const char* full_name, const char* doc) {
  PyObject* type = own(PyErr_NewExceptionWithDoc(full_name, doc, PyExc_RuntimeError, nullptr)).release();
  add_object(module, name, type);
  return type;
}

}  // namespace

void raise(PyObject* type, const char* format, ...) {
  char text[2048];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  PyErr_SetString(type, text);
  throw PythonError{};
}

void raise_text(PyObject* type, const std::string& message) {
  PyErr_SetString(type, message.c_str());
  throw PythonError{};
}

void raise_status(mt_status* status) {
  void* payload = mt_status_payload_borrow(status);
  if (payload && is_foreign_object(payload)) {
    PyObject* exception = incref(static_cast<PyObject*>(payload));
    mt_status_release(status);
    PyObject* traceback = PyException_GetTraceback(exception);
    PyErr_Restore(incref(reinterpret_cast<PyObject*>(Py_TYPE(exception))), exception, traceback);
    throw PythonError{};
  }
  PyObject* type = exception_type(mt_status_kind(status));
  const char* message = mt_status_message(status);
  PyObject* text = PyUnicode_DecodeUTF8(message, static_cast<Py_ssize_t>(std::strlen(message)), "replace");
  mt_status_release(status);
  if (text) {
    PyErr_SetObject(type, text);
    Py_DECREF(text);
  }
  throw PythonError{};
}

mt_status* status_from_exception() {
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  if (!type) return mt_status_create("SystemError", "a callback failed without an exception");
  PyErr_NormalizeException(&type, &value, &traceback);
  if (traceback) PyException_SetTraceback(value, traceback);
  Ref type_ref(type), value_ref(value), traceback_ref(traceback);
  Ref text(PyObject_Str(value));
  const char* message = text ? PyUnicode_AsUTF8(text.get()) : nullptr;
  if (!message) PyErr_Clear();
  const char* kind = reinterpret_cast<PyTypeObject*>(type)->tp_name;
  if (const char* dot = std::strrchr(kind, '.')) kind = dot + 1;
  return mt_status_create_with_payload(kind, message ? message : "", hold_foreign(value), drop_foreign);
}

void ensure_thread() {
  thread_local bool ready = false;
  if (ready) return;
  ready = true;
  check(mt_warning_handler_set(issue_python_warning, nullptr, nullptr, nullptr));
}

bool is_due(bool& given) {
  int32_t always = 0;
  check(mt_option_get(MT_OPTION_WARN_ALWAYS, &always));
  return !std::exchange(given, true) || always;
}

void warn(PyObject* category, const std::string& message, int stack_level) {
  expect_zero(PyErr_WarnEx(category, message.c_str(), stack_level));
}

PyObject* hold_foreign(PyObject* object) {
  auto& objects = foreign_objects();
  std::lock_guard lock(objects.mutex);
  ++objects.counts[object];
  return incref(object);
}

void drop_foreign(void* object) {
  {
    auto& objects = foreign_objects();
    std::lock_guard lock(objects.mutex);
    auto found = objects.counts.find(object);
    if (found != objects.counts.end() && --found->second == 0) objects.counts.erase(found);
  }
  if (!interpreter_is_alive()) return;
  Gil gil;
  // A `destroy` function may run while an exception is propagating.
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  Py_DECREF(static_cast<PyObject*>(object));
  PyErr_Restore(type, value, traceback);
}

bool is_foreign_object(void* pointer) {
  auto& objects = foreign_objects();
  std::lock_guard lock(objects.mutex);
  return objects.counts.contains(pointer);
}

void init_errors(PyObject* module) {
  out_of_memory_error = make_exception(module, "OutOfMemoryError", "torch.OutOfMemoryError",
                                       "Raised where a device has no memory left for an allocation.");
  linalg_error = make_exception(module, "_LinAlgError", "torch._C._LinAlgError",
                                "A linear algebra function got a matrix that it cannot handle.");
  accelerator_error = make_exception(module, "AcceleratorError", "torch.AcceleratorError", "An error of a device.");
  ensure_thread();
}

}  // namespace mt::py
