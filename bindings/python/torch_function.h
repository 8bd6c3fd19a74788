// __torch_function__: who overrides it, the stack of modes, and the call.
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
  bool all_disabled = false;     // modes too
  bool skip_next = false;        // the next call that would be handed over is not
  bool skips() { return std::exchange(skip_next, false); }
  bool mode_active() const { return !modes.empty() && !all_disabled; }
};
FunctionState& make_function_state();
inline constinit thread_local FunctionState* current_function_state = nullptr;
inline FunctionState& function_state() { return current_function_state ? *current_function_state : make_function_state(); }

// Whether an object's type has a __torch_function__ that may be consulted now.
bool overrides_slow(PyObject* object);
inline bool overrides_torch_function(PyObject* object) { return !is_plain_tensor(object) && overrides_slow(object); }
// The same, without regard to switches; modes included where asked.
bool type_overrides(PyTypeObject* type);
bool overrides_torch_dispatch(PyTypeObject* type);
// A new class with a __torch_dispatch__ of its own and Tensor's __torch_function__ gets none: what it is given back keeps its type.
void disable_torch_function_of(PyTypeObject* type);

// Calls modes, then the overloaded arguments, for function(*args, **kwargs). `name` for the error.
PyObject* call_torch_function(PyObject* function, const std::vector<PyObject*>& overloaded, PyObject* args, PyObject* kwargs,
                              const char* name);
// Of a call that nobody took; `handler` is what they were asked by, `mode` may be NULL.
[[noreturn]] void raise_unhandled(const std::string& name, const char* handler, PyObject* mode, const std::vector<PyObject*>& overloaded);
// Appends by torch's rule: subclasses before their bases, each type once.
void append_overloaded(std::vector<PyObject*>& overloaded, PyObject* object);

PyObject* call_torch_function_getter(PyObject* self, const char* name);
void call_torch_function_setter(PyObject* self, const char* name, PyObject* value);
// For a hand-written method of TensorBase: the override's result, or NULL where there is none.
PyObject* try_torch_function_method(PyObject* self, const char* name, PyObject* const* args, Py_ssize_t n, PyObject* names);
// The same where any argument may have one, and the elements of `parts`, a tuple or list among them.
PyObject* try_torch_function_arguments(PyObject* self, const char* name, PyObject* const* args, Py_ssize_t n, PyObject* names,
                                       PyObject* parts = nullptr);

}  // namespace mt::py
