// Shared by all files of the extension: owned references, exceptions, locks, and the process-wide state.
#pragma once
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

#include <mindtorch/mindtorch.h>
#include <cstdint>
#include <string>
#include <utility>

namespace mt::py {

// Thrown while a Python exception is set; caught where Python called us.
struct PythonError {};

// An owned reference.
class Ref {
 public:
  Ref() = default;
  explicit Ref(PyObject* owned) : object_(owned) {}
  static Ref borrow(PyObject* object) {
    Py_XINCREF(object);
    return Ref(object);
  }
  Ref(const Ref& other) : object_(other.object_) { Py_XINCREF(object_); }
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() { Py_XDECREF(object_); }
  PyObject* get() const { return object_; }
  PyObject* release() { return std::exchange(object_, nullptr); }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  PyObject* object_ = nullptr;
};

// Whether Python can still be called: the library outlives the interpreter at exit.
inline bool interpreter_is_alive() {
#if PY_VERSION_HEX >= 0x030D0000
  return Py_IsInitialized() && !Py_IsFinalizing();
#else
  return Py_IsInitialized() && !_Py_IsFinalizing();
#endif
}

// Takes ownership of a new reference; NULL means that an exception is set.
inline Ref own(PyObject* object) {
  if (!object) throw PythonError{};
  return Ref(object);
}
inline PyObject* incref(PyObject* object) {
  Py_INCREF(object);
  return object;
}
inline void expect(bool ok) {
  if (!ok) throw PythonError{};
}
inline void expect_zero(int result) {
  if (result < 0) throw PythonError{};
}

[[noreturn]] void raise(PyObject* type, const char* format, ...) __attribute__((format(printf, 2, 3)));
[[noreturn]] void raise_text(PyObject* type, const std::string& message);

// Runs a body that may throw PythonError, and returns NULL to Python if it does.
template <class F>
PyObject* guarded(F&& body) {
  try {
    return body();
  } catch (const PythonError&) {
    return nullptr;
  } catch (const std::bad_alloc&) {
    return PyErr_NoMemory();
  } catch (const std::exception& e) {
    PyErr_SetString(PyExc_RuntimeError, e.what());
    return nullptr;
  }
}
// As guarded(), for slots that return an int, and for callbacks below.
template <class F>
int guarded_int(F&& body) {
  try {
    return body();
  } catch (const PythonError&) {
    return -1;
  } catch (const std::exception& e) {
    PyErr_SetString(PyExc_RuntimeError, e.what());
    return -1;
  }
}

// ---- statuses (errors.cpp) --------------------------------------------------------------------------------------

[[noreturn]] void raise_status(mt_status* status);
inline void check(mt_status* status) {
  if (__builtin_expect(status != nullptr, 0)) raise_status(status);
}
// Makes a status from the current exception; the status carries the exception object itself.
mt_status* status_from_exception();
// Sends this thread's warnings to Python's warnings module; cheap if it is set up already.
void ensure_thread();
void warn(PyObject* category, const std::string& message, int stack_level = 1);
// Whether to emit a once-per-process warning; `given` is its own flag. After torch.set_warn_always(True) always true.
bool is_due(bool& given);

// Holds the GIL, for callbacks from any thread.
class Gil {
 public:
  Gil() : state_(PyGILState_Ensure()) {}
  ~Gil() { PyGILState_Release(state_); }
  Gil(const Gil&) = delete;

 private:
  PyGILState_STATE state_;
};
class NoGil {
 public:
  explicit NoGil(bool wanted = true) : state_(wanted ? PyEval_SaveThread() : nullptr) {}
  ~NoGil() {
    if (state_) PyEval_RestoreThread(state_);
  }
  NoGil(const NoGil&) = delete;

 private:
  PyThreadState* state_;
};

template <class F>
mt_status* callback(F&& body) {
  Gil gil;
  try {
    body();
    return nullptr;
  } catch (const PythonError&) {
    return status_from_exception();
  } catch (const std::exception& e) {
    return mt_status_create("RuntimeError", e.what());
  }
}

// Python objects that the library holds as `user` pointers. Collectors ask whether a foreign pointer is one of ours.
PyObject* hold_foreign(PyObject* object);  // new reference, registered
void drop_foreign(void* object);           // a `destroy` function: callable from any thread, with or without the GIL
bool is_foreign_object(void* pointer);

// ---- state -------------------------------------------------------------------------------------------------------

struct State {
  PyObject* module = nullptr;        // _C
  std::string root;                  // "torch" or "mindtorch"
  PyTypeObject* tensor_base = nullptr;
  PyTypeObject* tensor = nullptr;    // torch.Tensor, once Python has registered it
  PyTypeObject* parameter = nullptr; // torch.nn.Parameter, likewise
  PyObject* disabled_torch_function = nullptr;
  PyObject* disabled_torch_dispatch = nullptr;
  int64_t binding_id = 0;
};
extern State state;

// Adds an object to a module under a name; does not steal the reference.
void add_object(PyObject* module, const char* name, PyObject* object);
// Makes a heap type; the part of its name before the last dot becomes its __module__.
PyTypeObject* make_type(PyType_Spec* spec, PyTypeObject* base = nullptr);
// `from <root>.<module> import <name>`, for the few things that are written in Python.
Ref import_from_root(const char* module, const char* name);
// A submodule of _C, registered in sys.modules under its full name.
PyObject* add_submodule(const char* name, PyMethodDef* methods);

using Fast = PyObject* (*)(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);
inline PyCFunction fast(Fast function) { return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function)); }
using FastPositional = PyObject* (*)(PyObject*, PyObject* const*, Py_ssize_t);
inline PyCFunction fast(FastPositional function) { return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function)); }
using Keywords = PyObject* (*)(PyObject*, PyObject*, PyObject*);
inline PyCFunction keywords(Keywords function) { return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function)); }

// One function per file that adds to _C.
void init_errors(PyObject* module);
void init_dtype(PyObject* module);
void init_layout(PyObject* module);
void init_device(PyObject* module);
void init_stream(PyObject* module);
void init_npu(PyObject* module);
void init_size(PyObject* module);
void init_type_info(PyObject* module);
void init_generator(PyObject* module);
void init_storage(PyObject* module);
void init_tensor(PyObject* module);
void init_torch_function(PyObject* module);
void init_operators(PyObject* module);
void init_creation(PyObject* module);
void init_node(PyObject* module);
void init_engine(PyObject* module);
void init_function(PyObject* module);
void init_autograd(PyObject* module);
void init_dispatch(PyObject* module);
void init_library_define(PyObject* module);
void init_settings(PyObject* module);
void init_library_ops(PyObject* module);
void init_module_base(PyObject* module);
void init_exchange(PyObject* module);
void init_enums(PyObject* module);
void init_delayed_error(PyObject* module);
void init_functorch(PyObject* module);
void init_archive(PyObject* module);
void init_files(PyObject* module);

}  // namespace mt::py
