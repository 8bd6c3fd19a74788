// __torch_function__: the stack of modes, the switches, and the call of the override.
#include "torch_function.h"

#include "operators.h"

namespace mt::py {

FunctionState& make_function_state() {
  thread_local FunctionState thread_state;
  current_function_state = &thread_state;
  return thread_state;
}

namespace {

PyObject* torch_function_name;  // interned
PyObject* torch_dispatch_name;

// Restores a thread's switches when the scope is left.
class StateGuard {
 public:
  StateGuard()
      : subclasses_(function_state().subclasses_disabled), all_(function_state().all_disabled), skip_(function_state().skip_next) {}
  ~StateGuard() {
    function_state().subclasses_disabled = subclasses_;
    function_state().all_disabled = all_;
    function_state().skip_next = skip_;
  }

 private:
  bool subclasses_, all_, skip_;
};

PyObject* call_with_subclasses_off(PyObject* args) {
  PyObject *function, *types, *call_args = nullptr, *kwargs = nullptr;
  if (!PyArg_ParseTuple(args, "OO|OO", &function, &types, &call_args, &kwargs)) return nullptr;
  Ref empty(PyTuple_New(0));
  StateGuard guard;
  function_state().subclasses_disabled = true;
  Ref tuple(call_args ? PySequence_Tuple(call_args) : empty.release());
  if (!tuple) return nullptr;
  return PyObject_Call(function, tuple.get(), kwargs && kwargs != Py_None ? kwargs : nullptr);
}
PyObject* disabled_torch_function(PyObject*, PyObject* args) { return call_with_subclasses_off(args); }
// Calls a function without __torch_function__ for the first call only; calls inside it are intercepted again.
PyObject* call_skipping_one_override(PyObject*, PyObject* args) {
  PyObject *function, *types, *call_args, *kwargs;
  if (!PyArg_ParseTuple(args, "OOOO", &function, &types, &call_args, &kwargs)) return nullptr;
  StateGuard guard;
  function_state().skip_next = true;
  Ref tuple(PySequence_Tuple(call_args));
  return tuple ? PyObject_Call(function, tuple.get(), kwargs != Py_None ? kwargs : nullptr) : nullptr;
}
PyObject* disabled_torch_dispatch(PyObject*, PyObject* args) {
  PyObject *function, *types, *call_args = nullptr, *kwargs = nullptr;
  if (!PyArg_ParseTuple(args, "OO|OO", &function, &types, &call_args, &kwargs)) return nullptr;
  return guarded([&] {
    uint64_t included, excluded;
    check(mt_dispatch_keys_get(&included, &excluded));
    check(mt_dispatch_keys_set(included, excluded | uint64_t{1} << MT_KEY_PYTHON));
    Ref tuple(call_args ? PySequence_Tuple(call_args) : PyTuple_New(0));
    PyObject* result = tuple ? PyObject_Call(function, tuple.get(), kwargs && kwargs != Py_None ? kwargs : nullptr) : nullptr;
    if (mt_status* status = mt_dispatch_keys_set(included, excluded)) mt_status_release(status);
    expect(result != nullptr);
    return result;
  });
}

// ---- the guards DisableTorchFunction and DisableTorchFunctionSubclass -----------------------------------------------

struct GuardObject {
  PyObject_HEAD bool old_subclasses, old_all;
};
template <bool All>
PyObject* enter_guard(PyObject* self, PyObject*) {
  auto* guard = reinterpret_cast<GuardObject*>(self);
  auto& s = function_state();
  guard->old_subclasses = s.subclasses_disabled;
  guard->old_all = s.all_disabled;
  s.subclasses_disabled = true;
  if (All) s.all_disabled = true;
  return incref(self);
}
PyObject* exit_guard(PyObject* self, PyObject*) {
  auto* guard = reinterpret_cast<GuardObject*>(self);
  function_state().subclasses_disabled = guard->old_subclasses;
  function_state().all_disabled = guard->old_all;
  Py_RETURN_NONE;
}
template <bool All>
PyMethodDef guard_methods[] = {{"__enter__", enter_guard<All>, METH_NOARGS, "Enters the context."},
                               {"__exit__", exit_guard, METH_VARARGS, "Leaves the context."},
                               {nullptr, nullptr, 0, nullptr}};
PyType_Slot all_slots[] = {{Py_tp_doc, const_cast<char*>("A context without __torch_function__, of modes too.")},
                           {Py_tp_methods, guard_methods<true>},
                           {0, nullptr}};
PyType_Slot subclass_slots[] = {{Py_tp_doc, const_cast<char*>("A context where subclasses are plain tensors; modes stay on.")},
                                {Py_tp_methods, guard_methods<false>},
                                {0, nullptr}};
PyType_Spec all_spec = {"torch._C.DisableTorchFunction", sizeof(GuardObject), 0, Py_TPFLAGS_DEFAULT, all_slots};
PyType_Spec subclass_spec = {"torch._C.DisableTorchFunctionSubclass", sizeof(GuardObject), 0, Py_TPFLAGS_DEFAULT, subclass_slots};

// ---- queries and the stack ---------------------------------------------------------------------------------------------

PyObject* is_torch_function_enabled(PyObject*, PyObject*) { return PyBool_FromLong(!function_state().subclasses_disabled); }
PyObject* is_all_disabled(PyObject*, PyObject*) { return PyBool_FromLong(function_state().all_disabled); }
PyObject* is_function_mode_active(PyObject*, PyObject*) { return PyBool_FromLong(function_state().mode_active()); }
PyObject* has_override(PyObject*, PyObject* object) {
  bool has = function_state().mode_active() || overrides_torch_function(object);
  return PyBool_FromLong(has && !function_state().skips());
}
PyObject* any_has_override(PyObject*, PyObject* const* values, Py_ssize_t n) {
  bool has = function_state().mode_active();
  for (Py_ssize_t i = 0; i < n && !has; ++i) has = overrides_torch_function(values[i]);
  return PyBool_FromLong(has && !function_state().skips());
}
PyObject* sequence_has_override(PyObject*, PyObject* sequence) {
  Ref items(PySequence_Fast(sequence, "expected a sequence"));
  if (!items) return nullptr;
  return any_has_override(nullptr, PySequence_Fast_ITEMS(items.get()), PySequence_Fast_GET_SIZE(items.get()));
}
PyObject* push_function_mode(PyObject*, PyObject* mode) {
  function_state().modes.push_back(incref(mode));
  Py_RETURN_NONE;
}
PyObject* pop_function_mode(PyObject*, PyObject*) {
  auto& modes = function_state().modes;
  if (modes.empty()) {
    PyErr_SetString(PyExc_RuntimeError, "trying to pop from empty mode stack");
    return nullptr;
  }
  PyObject* mode = modes.back();
  modes.pop_back();
  return mode;
}
PyObject* function_mode_at(PyObject*, PyObject* level) {
  size_t i = PyLong_AsSize_t(level);
  if (PyErr_Occurred()) return nullptr;
  auto& modes = function_state().modes;
  if (i >= modes.size()) {
    PyErr_SetString(PyExc_RuntimeError, "Tried to get stack at idx that's too big");
    return nullptr;
  }
  return incref(modes[i]);
}
PyObject* function_mode_count(PyObject*, PyObject*) { return PyLong_FromSize_t(function_state().modes.size()); }

PyMethodDef functions[] = {{"_disabled_torch_function_impl", disabled_torch_function, METH_VARARGS, nullptr},
                           {"_disabled_torch_dispatch_impl", disabled_torch_dispatch, METH_VARARGS, nullptr},
                           {"_skip_one_hop_torch_function", call_skipping_one_override, METH_VARARGS, nullptr},
                           {"_is_torch_function_enabled", is_torch_function_enabled, METH_NOARGS, nullptr},
                           {"_is_torch_function_all_disabled", is_all_disabled, METH_NOARGS, nullptr},
                           {"_is_torch_function_mode_enabled", is_function_mode_active, METH_NOARGS, nullptr},
                           {"_has_torch_function", sequence_has_override, METH_O,
                            "Whether one of a sequence's objects, or a mode, has a __torch_function__."},
                           {"_has_torch_function_unary", has_override, METH_O, "Whether an object, or a mode, has a __torch_function__."},
                           {"_has_torch_function_variadic", fast(any_has_override), METH_FASTCALL,
                            "Whether one of the arguments, or a mode, has a __torch_function__."},
                           {"_push_on_torch_function_stack", push_function_mode, METH_O, nullptr},
                           {"_pop_torch_function_stack", pop_function_mode, METH_NOARGS, nullptr},
                           {"_get_function_stack_at", function_mode_at, METH_O, nullptr},
                           {"_len_torch_function_stack", function_mode_count, METH_NOARGS, nullptr},
                           {nullptr, nullptr, 0, nullptr}};

Ref types_of(const std::vector<PyObject*>& overloaded) {
  Ref types = own(PyTuple_New(static_cast<Py_ssize_t>(overloaded.size())));
  for (size_t i = 0; i < overloaded.size(); ++i) {
    PyTuple_SET_ITEM(types.get(), static_cast<Py_ssize_t>(i), incref(reinterpret_cast<PyObject*>(Py_TYPE(overloaded[i]))));
  }
  return types;
}

PyObject* call_override(PyObject* holder, PyObject* function, PyObject* types, PyObject* args, PyObject* kwargs) {
  Ref method = own(PyObject_GetAttr(holder, torch_function_name));
  return own(PyObject_CallFunctionObjArgs(method.get(), function, types, args, kwargs, nullptr)).release();
}

}  // namespace

bool class_overrides_torch_function(PyTypeObject* type) {
  PyObject* attribute = _PyType_Lookup(type, torch_function_name);
  return attribute && attribute != state.disabled_torch_function;
}
bool overrides_by_attribute_lookup(PyObject* object) {
  return !function_state().subclasses_disabled && class_overrides_torch_function(Py_TYPE(object));
}
bool overrides_torch_dispatch(PyTypeObject* type) {
  PyObject* attribute = _PyType_Lookup(type, torch_dispatch_name);
  return attribute && attribute != state.disabled_torch_dispatch;
}

void disable_torch_function_of(PyTypeObject* type) {
  if (!overrides_torch_dispatch(type)) return;
  Ref own_method = own(PyObject_GetAttr(reinterpret_cast<PyObject*>(type), torch_function_name)),
      tensors = own(PyObject_GetAttr(reinterpret_cast<PyObject*>(state.tensor), torch_function_name));
  if (!PyMethod_Check(own_method.get()) || !PyMethod_Check(tensors.get())) return;
  if (PyMethod_GET_FUNCTION(own_method.get()) != PyMethod_GET_FUNCTION(tensors.get())) return;
  expect_zero(PyObject_SetAttr(reinterpret_cast<PyObject*>(type), torch_function_name, state.disabled_torch_function));
}

void append_overloaded(std::vector<PyObject*>& overloaded, PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  size_t place = overloaded.size();
  for (size_t i = 0; i < overloaded.size(); ++i) {
    if (Py_TYPE(overloaded[i]) == type) return;
    if (place == overloaded.size() && PyType_IsSubtype(type, Py_TYPE(overloaded[i]))) place = i;
  }
  overloaded.insert(overloaded.begin() + static_cast<std::ptrdiff_t>(place), object);
}

void raise_unhandled(const std::string& name, const char* handler, PyObject* mode, const std::vector<PyObject*>& overloaded) {
  std::string text = "Multiple dispatch failed for '" + name + "'; all " + handler + " handlers returned NotImplemented:\n\n";
  auto add_line = [&](const char* what, PyObject* object) {
    Ref repr = own(PyObject_Repr(object));
    text += std::string("  - ") + what + " " + PyUnicode_AsUTF8(repr.get()) + "\n";
  };
  if (mode) add_line("mode object", mode);
  for (PyObject* object : overloaded) add_line("tensor subclass", reinterpret_cast<PyObject*>(Py_TYPE(object)));
  raise_text(PyExc_TypeError, text + "\nFor more information, try re-running with TORCH_LOGS=not_implemented");
}

PyObject* call_torch_function(PyObject* function, const std::vector<PyObject*>& overloaded, PyObject* args, PyObject* kwargs,
                              const char* name) {
  Ref types = types_of(overloaded);
  auto& s = function_state();
  Ref keep_function = Ref::borrow(function);
  if (s.mode_active()) {
    // The mode is popped while it runs, so that its calls reach the modes below.
    PyObject* mode = s.modes.back();
    s.modes.pop_back();
    PyObject* result = nullptr;
    try {
      result = call_override(mode, function, types.get(), args, kwargs);
    } catch (...) {
      s.modes.push_back(mode);
      throw;
    }
    s.modes.push_back(mode);
    if (result != Py_NotImplemented) return result;
    Py_DECREF(result);
  }
  for (PyObject* object : overloaded) {
    PyObject* result = call_override(object, function, types.get(), args, kwargs);
    if (result != Py_NotImplemented) return result;
    Py_DECREF(result);
  }
  raise_unhandled(name, "__torch_function__", s.mode_active() ? s.modes.back() : nullptr, overloaded);
}

namespace {
Ref property_accessor(const char* name, const char* which) {
  Ref descriptor = own(PyObject_GetAttrString(reinterpret_cast<PyObject*>(state.tensor), name));
  return own(PyObject_GetAttrString(descriptor.get(), which));
}
}  // namespace

PyObject* call_torch_function_getter(PyObject* self, const char* name) {
  Ref function = property_accessor(name, "__get__");
  Ref args = own(PyTuple_Pack(1, self));
  return call_torch_function(function.get(), {self}, args.get(), nullptr, name);
}
void call_torch_function_setter(PyObject* self, const char* name, PyObject* value) {
  Ref function = property_accessor(name, value ? "__set__" : "__delete__");
  Ref args = own(value ? PyTuple_Pack(2, self, value) : PyTuple_Pack(1, self));
  Ref result(call_torch_function(function.get(), {self}, args.get(), nullptr, name));
}

namespace {
// Only a program's own classes can have a __torch_function__.
bool may_override(PyObject* object) { return Py_TYPE(object)->tp_flags & Py_TPFLAGS_HEAPTYPE && overrides_torch_function(object); }
}  // namespace

PyObject* try_torch_function_method(PyObject* self, const char* name, PyObject* const* values, Py_ssize_t n, PyObject* names) {
  const bool overrides = overrides_torch_function(self);
  if (!overrides && !function_state().mode_active()) return nullptr;
  return try_torch_function_arguments(self, name, values, n, names);
}

PyObject* try_torch_function_arguments(PyObject* self, const char* name, PyObject* const* values, Py_ssize_t n, PyObject* names,
                                       PyObject* parts) {
  const Py_ssize_t given = n + (names ? PyTuple_GET_SIZE(names) : 0), inside = parts ? PySequence_Fast_GET_SIZE(parts) : 0;
  bool overrides = overrides_torch_function(self) || function_state().mode_active();
  for (Py_ssize_t i = 0; i < given && !overrides; ++i) overrides = may_override(values[i]);
  for (Py_ssize_t i = 0; i < inside && !overrides; ++i) overrides = may_override(PySequence_Fast_GET_ITEM(parts, i));
  if (!overrides || function_state().skips()) return nullptr;
  Ref function = own(PyObject_GetAttrString(reinterpret_cast<PyObject*>(state.tensor), name));
  std::vector<PyObject*> overloaded;
  auto add = [&](PyObject* object) {
    if (may_override(object)) append_overloaded(overloaded, object);
  };
  add(self);
  for (Py_ssize_t i = 0; i < given; ++i) add(values[i]);
  for (Py_ssize_t i = 0; i < inside; ++i) add(PySequence_Fast_GET_ITEM(parts, i));
  const std::string full = std::string("torch.Tensor.") + name;
  return forward_to_torch_function(function.get(), full.c_str(), {self, values, n, names}, overloaded);
}

void init_torch_function(PyObject* module) {
  torch_function_name = PyUnicode_InternFromString("__torch_function__");
  torch_dispatch_name = PyUnicode_InternFromString("__torch_dispatch__");
  expect_zero(PyModule_AddFunctions(module, functions));
  auto* dict = PyModule_GetDict(module);
  state.disabled_torch_function = incref(PyDict_GetItemString(dict, "_disabled_torch_function_impl"));
  state.disabled_torch_dispatch = incref(PyDict_GetItemString(dict, "_disabled_torch_dispatch_impl"));
  add_object(module, "DisableTorchFunction", reinterpret_cast<PyObject*>(make_type(&all_spec)));
  add_object(module, "DisableTorchFunctionSubclass", reinterpret_cast<PyObject*>(make_type(&subclass_spec)));
}

}  // namespace mt::py
