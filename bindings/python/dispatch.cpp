// __torch_dispatch__: the stack of modes, the fallback that calls modes and subclasses, and the guards around it.
#include <vector>

#include "operators.h"
#include "python_call.h"
#include "tensor.h"
#include "torch_function.h"
#include "types.h"

namespace mt::py {
namespace {

constexpr uint64_t python_key = uint64_t{1} << MT_KEY_PYTHON;

std::vector<PyObject*>& mode_stack() {
  thread_local std::vector<PyObject*> stack;
  return stack;
}

// Sets the thread's key if there are modes: calls without tensor arguments must reach modes too.
void include_python_key(bool on) {
  uint64_t included, excluded;
  check(mt_dispatch_keys_get(&included, &excluded));
  check(mt_dispatch_keys_set(on ? included | python_key : included & ~python_key, excluded));
}

class ModeOff {
 public:
  ModeOff() : mode_(mode_stack().back()) {
    mode_stack().pop_back();
    if (mode_stack().empty()) include_python_key(false);
  }
  ~ModeOff() {
    mode_stack().push_back(mode_);
    try {
      include_python_key(true);
    } catch (const PythonError&) {
      PyErr_WriteUnraisable(mode_);
    }
  }
  PyObject* mode() const { return mode_; }

 private:
  PyObject* mode_;
};

// {(operator's name, class of modes or tensors): function that runs instead of its __torch_dispatch__}
PyObject* rules = nullptr;
PyObject* find_python_rule(PyObject* type, const PythonCall& c) {
  if (!PyDict_GET_SIZE(rules)) return nullptr;
  Ref name = own(PyObject_GetAttrString(c.function.get(), "_name")), key = own(PyTuple_Pack(2, name.get(), type));
  PyObject* rule = PyDict_GetItemWithError(rules, key.get());
  expect(rule || !PyErr_Occurred());
  return rule;
}

PyObject* call_handler_of(PyObject* holder, const PythonCall& c) {
  auto* type = reinterpret_cast<PyObject*>(Py_TYPE(holder));
  if (PyObject* rule = find_python_rule(type, c)) {
    PyObject* self = is_tensor(holder) ? type : holder;
    return own(PyObject_CallFunctionObjArgs(rule, self, c.function.get(), c.types.get(), c.args.get(), c.kwargs.get(), nullptr)).release();
  }
  Ref method = own(PyObject_GetAttrString(holder, "__torch_dispatch__"));
  return own(PyObject_CallFunctionObjArgs(method.get(), c.function.get(), c.types.get(), c.args.get(), c.kwargs.get(), nullptr)).release();
}

// The number of __torch_dispatch__ handlers that are running on this thread.
thread_local int handlers_running = 0;
// A handler runs below autograd: the intercepted call is recorded, not the calls that the handler makes.
class InHandler {
 public:
  InHandler() {
    constexpr uint64_t above = uint64_t{1} << MT_KEY_AUTOGRAD | uint64_t{1} << MT_KEY_VIEW_AND_VERSION;
    check(mt_dispatch_keys_get(&included_, &excluded_));
    check(mt_dispatch_keys_set(included_, excluded_ | above));
    ++handlers_running;
  }
  ~InHandler() {
    --handlers_running;
    if (mt_status* status = mt_dispatch_keys_set(included_, excluded_)) mt_status_release(status);
  }
  InHandler(const InHandler&) = delete;
  InHandler& operator=(const InHandler&) = delete;

 private:
  uint64_t included_ = 0, excluded_ = 0;
};

Ref dispatch(const PythonCall& c) {
  InHandler here;
  PyObject* mode = nullptr;
  if (!mode_stack().empty()) {
    ModeOff off;
    mode = off.mode();
    Ref result(call_handler_of(off.mode(), c));
    if (result.get() != Py_NotImplemented) return result;
  }
  for (PyObject* object : c.overloaded) {
    Ref result(call_handler_of(object, c));
    if (result.get() != Py_NotImplemented) return result;
  }
  Ref text = own(PyObject_Str(c.function.get()));
  raise_unhandled(std::string("torch._ops.") + PyUnicode_AsUTF8(text.get()), "__torch_dispatch__", mode, c.overloaded);
}

// The kernel at the Python key: calls the thread's modes, then subclasses; without either, continues with the keys below. A handler's own
// calls reach subclasses again unless the handler excludes their keys.
mt_status* python_fallback(void*, const mt_op* op, uint64_t keys, const mt_value* args, int64_t n, mt_value* rets, int64_t n_rets) {
  // Without grad mode a composite arrives here undecomposed: decompose it, so that the same operators are seen as with grad mode.
  uint64_t included = 0, excluded = 0;
  if (mt_status* status = mt_dispatch_keys_get(&included, &excluded)) return status;
  int64_t written = 0;
  if (!(excluded >> MT_KEY_AUTOGRAD & 1) && info_of(op).traits & MT_OP_COMPOSITE)
    return mt_op_decompose(op, args, n, rets, n_rets, &written);
  bool nobody = false;
  mt_status* status = callback([&] {
    PythonCall c = make_call(op, args, n);
    if (mode_stack().empty() && c.overloaded.empty()) {
      nobody = true;
      return;
    }
    Ref result = dispatch(c);
    convert_results(op, result.get(), "__torch_dispatch__", rets, n_rets);
  });
  if (status || !nobody) return status;
  return mt_op_redispatch(op, keys & (python_key - 1), args, n, rets, n_rets, &written);
}

// ---- the stack from Python -----------------------------------------------------------------------------------------------------

PyObject* push_mode(PyObject*, PyObject* mode) {
  return guarded([&] {
    mode_stack().push_back(incref(mode));
    include_python_key(true);
    return incref(Py_None);
  });
}
PyObject* pop_mode(PyObject*, PyObject* args) {
  return guarded([&]() -> PyObject* {
    PyObject* key = nullptr;
    expect(PyArg_ParseTuple(args, "|O", &key));
    if (mode_stack().empty()) raise(PyExc_AssertionError, "popping from an empty stack of dispatch modes");
    PyObject* mode = mode_stack().back();
    mode_stack().pop_back();
    if (mode_stack().empty()) include_python_key(false);
    return mode;
  });
}
PyObject* mode_stack_length(PyObject*, PyObject*) { return PyLong_FromSize_t(mode_stack().size()); }
PyObject* mode_stack_at(PyObject*, PyObject* index) {
  size_t i = PyLong_AsSize_t(index);
  if (PyErr_Occurred()) return nullptr;
  if (i >= mode_stack().size()) {
    PyErr_SetString(PyExc_RuntimeError, "Tried to get stack at idx that's too big");
    return nullptr;
  }
  return incref(mode_stack()[i]);
}

struct GuardObject {
  PyObject_HEAD uint64_t included, excluded;
};
template <uint64_t Key>
PyObject* exclude_key_on_enter(PyObject* object, PyObject*) {
  return guarded([&] {
    auto* self = reinterpret_cast<GuardObject*>(object);
    check(mt_dispatch_keys_get(&self->included, &self->excluded));
    check(mt_dispatch_keys_set(self->included & ~Key, self->excluded | Key));
    return incref(object);
  });
}
PyObject* restore_keys_on_exit(PyObject* object, PyObject*) {
  return guarded([&] {
    auto* self = reinterpret_cast<GuardObject*>(object);
    check(mt_dispatch_keys_set(self->included, self->excluded));
    return incref(Py_None);
  });
}
// Inside a handler: lets calls start at the top of the dispatcher again, autograd included.
PyObject* clear_excluded_on_enter(PyObject* object, PyObject*) {
  return guarded([&] {
    if (!handlers_running) raise(PyExc_RuntimeError, "Accessing torch dispatch state outside of '__torch_dispatch__' is not allowed.");
    auto* self = reinterpret_cast<GuardObject*>(object);
    check(mt_dispatch_keys_get(&self->included, &self->excluded));
    check(mt_dispatch_keys_set(self->included, 0));
    return incref(object);
  });
}
PyMethodDef restore_methods[] = {{"__enter__", clear_excluded_on_enter, METH_NOARGS, nullptr},
                                 {"__exit__", restore_keys_on_exit, METH_VARARGS, nullptr},
                                 {nullptr, nullptr, 0, nullptr}};
PyType_Slot restore_slots[] = {{Py_tp_methods, restore_methods}, {0, nullptr}};
PyType_Spec restore_spec = {"torch._C._RestorePythonTLSSnapshot", sizeof(GuardObject), 0, Py_TPFLAGS_DEFAULT, restore_slots};
// Context managers that exclude one key from the dispatcher.
template <uint64_t Key>
PyObject* make_key_exclusion_guard(const char* name) {
  static PyMethodDef methods[] = {{"__enter__", exclude_key_on_enter<Key>, METH_NOARGS, nullptr},
                                  {"__exit__", restore_keys_on_exit, METH_VARARGS, nullptr},
                                  {nullptr, nullptr, 0, nullptr}};
  static PyType_Slot slots[] = {{Py_tp_methods, methods}, {0, nullptr}};
  static PyType_Spec spec = {name, sizeof(GuardObject), 0, Py_TPFLAGS_DEFAULT, slots};
  return reinterpret_cast<PyObject*>(make_type(&spec));
}

PyMethodDef functions[] = {{"_push_on_torch_dispatch_stack", push_mode, METH_O, nullptr},
                           {"_pop_torch_dispatch_stack", pop_mode, METH_VARARGS, nullptr},
                           {"_len_torch_dispatch_stack", mode_stack_length, METH_NOARGS, nullptr},
                           {"_get_dispatch_stack_at", mode_stack_at, METH_O, nullptr},
                           {nullptr, nullptr, 0, nullptr}};

}  // namespace

bool has_dispatch_modes() { return !mode_stack().empty(); }

void init_dispatch(PyObject* module) {
  expect_zero(PyModule_AddFunctions(module, functions));
  add_object(module, "_DisableTorchDispatch", make_key_exclusion_guard<python_key>("torch._C._DisableTorchDispatch"));
  add_object(module, "_DisableFuncTorch", make_key_exclusion_guard<uint64_t{1} << MT_KEY_TRANSFORMS>("torch._C._DisableFuncTorch"));
  // Python kernels registered for single keys are always active, so _EnablePythonDispatcher has nothing to enable: it excludes no key.
  add_object(module, "_EnablePythonDispatcher", make_key_exclusion_guard<0>("torch._C._EnablePythonDispatcher"));
  add_object(module, "_RestorePythonTLSSnapshot", reinterpret_cast<PyObject*>(make_type(&restore_spec)));
  add_object(module, "_AutoDispatchBelowAutograd",
             make_key_exclusion_guard<uint64_t{1} << MT_KEY_AUTOGRAD>("torch._C._AutoDispatchBelowAutograd"));
  rules = PyDict_New();
  add_object(module, "_torch_dispatch_rules", incref(rules));
  check(mt_fallback_register(MT_KEY_PYTHON, python_fallback, nullptr, nullptr));
}

}  // namespace mt::py
