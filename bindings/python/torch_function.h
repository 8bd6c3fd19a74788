// __torch_function__: which objects override it, the stack of modes, and the call.
#pragma once
#include <utility>
#include <vector>

#include "common.h"
#include "tensor.h"

namespace mt::py {

// Per thread.
struct FunctionState {
  std::vector<PyObject*> modes;  // strong references
  bool subclasses_disabled = false;
  bool all_disabled = false;     // also disables modes
  bool skip_next = false;        // the next call is not intercepted
  bool skips() { return std::exchange(skip_next, false); }
  bool mode_active() const { return !modes.empty() && !all_disabled; }
};
FunctionState& make_function_state();
inline constinit thread_local FunctionState* current_function_state = nullptr;
inline FunctionState& function_state() { return current_function_state ? *current_function_state : make_function_state(); }

// Whether an object's type has a __torch_function__ that is enabled in this thread.
bool overrides_by_attribute_lookup(PyObject* object);
inline bool overrides_torch_function(PyObject* object) { return !is_plain_tensor(object) && overrides_by_attribute_lookup(object); }
// Whether a type has a __torch_function__, even if this thread has disabled it.
bool class_overrides_torch_function(PyTypeObject* type);
bool overrides_torch_dispatch(PyTypeObject* type);
// Disables __torch_function__ for a new class that has its own __torch_dispatch__ and inherits Tensor's __torch_function__: results then
// keep their type.
void disable_torch_function_of(PyTypeObject* type);

// Calls modes, then the overloaded arguments, for function(*args, **kwargs). `name` is for error texts.
PyObject* call_torch_function(PyObject* function, const std::vector<PyObject*>& overloaded, PyObject* args, PyObject* kwargs,
                              const char* name);
// Raises for a call that all overrides declined; `handler` is the method's name, `mode` may be NULL.
[[noreturn]] void raise_unhandled(const std::string& name, const char* handler, PyObject* mode, const std::vector<PyObject*>& overloaded);
// Adds an object to the overloaded arguments in torch's order: subclasses before their bases, and only the first object of each type.
void append_overloaded(std::vector<PyObject*>& overloaded, PyObject* object);

PyObject* call_torch_function_getter(PyObject* self, const char* name);
void call_torch_function_setter(PyObject* self, const char* name, PyObject* value);
// For a hand-written method of TensorBase: the override's result, or NULL if there is none.
PyObject* try_torch_function_method(PyObject* self, const char* name, PyObject* const* args, Py_ssize_t n, PyObject* names);
// As try_torch_function_method, if any argument may have an override, also the elements of `parts`, a tuple or list among the arguments.
PyObject* try_torch_function_arguments(PyObject* self, const char* name, PyObject* const* args, Py_ssize_t n, PyObject* names,
                                       PyObject* parts = nullptr);

}  // namespace mt::py
