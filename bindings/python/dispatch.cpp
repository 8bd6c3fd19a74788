// __torch_dispatch__: the stack of modes, the fallback that calls modes and subclasses, and the guards around it.
#include <cstring>
#include <vector>

#include "library_ops.h"
#include "operators.h"
#include "signature.h"
#include "tensor.h"
#include "torch_function.h"
#include "types.h"

namespace mt::py {
namespace {

constexpr uint64_t python_key = uint64_t{1} << MT_KEY_PYTHON;

std::vector<PyObject*>& modes() {
  thread_local std::vector<PyObject*> stack;
  return stack;
}

// The thread's keys follow the stack: calls without tensor arguments must reach modes too.
void include_python(bool on) {
  uint64_t included, excluded;
  check(mt_dispatch_keys_get(&included, &excluded));
  check(mt_dispatch_keys_set(on ? included | python_key : included & ~python_key, excluded));
}

class ModeOff {
 public:
  ModeOff() : mode_(modes().back()) {
    modes().pop_back();
    if (modes().empty()) include_python(false);
  }
  ~ModeOff() {
    modes().push_back(mode_);
    try {
      include_python(true);
    } catch (const PythonError&) {
      PyErr_WriteUnraisable(mode_);
    }
  }
  PyObject* mode() const { return mode_; }

 private:
  PyObject* mode_;
};

// Whether a value is what the schema says anyway, so that it need not be passed on.
bool is_default(const mt_value& v, const mt_arg_info& arg) {
  if (!arg.default_text) return false;
  std::string text = arg.default_text;
  switch (v.tag) {
    case MT_TAG_DEFAULT: return true;
    case MT_TAG_NONE: return text == "None";
    case MT_TAG_BOOL: return text == (v.as.i ? "True" : "False");
    case MT_TAG_INT: return text == std::to_string(v.as.i);
    case MT_TAG_DOUBLE: return !text.empty() && (isdigit(text[0]) || text[0] == '-') && std::atof(text.c_str()) == v.as.d;
    case MT_TAG_STRING: return text.size() >= 2 && text.substr(1, text.size() - 2) == std::string(v.as.string.data, static_cast<size_t>(v.as.string.size));
    case MT_TAG_INTS: return text == "[]" && v.as.list.size == 0;
  }
  return false;
}

void collect(const mt_value& v, std::vector<PyObject*>& overloaded, std::vector<Ref>& kept) {
  auto add = [&](mt_tensor* tensor) {
    if (!tensor) return;
    Ref object = own(wrap_borrowed(tensor));
    if (is_plain_tensor(object.get()) || !overrides_torch_dispatch(Py_TYPE(object.get()))) return;
    append_overloaded(overloaded, object.get());
    kept.push_back(std::move(object));
  };
  if (v.tag == MT_TAG_TENSOR) add(v.as.tensor);
  if (v.tag == MT_TAG_TENSORS || v.tag == MT_TAG_OPTIONAL_TENSORS) {
    for (int64_t i = 0; i < v.as.list.size; ++i) add(static_cast<mt_tensor* const*>(v.as.list.data)[i]);
  }
}

struct PythonCall {
  Ref function, args, kwargs, types;
  std::vector<PyObject*> overloaded;
  std::vector<Ref> kept;
};
PythonCall make_call(const mt_op* op, const mt_value* values, int64_t n) {
  PythonCall c;
  c.function = operator_object(op);
  std::vector<mt_arg_info> infos;
  int64_t n_positional = 0;
  for (int64_t i = 0; i < n; ++i) {
    infos.push_back(argument_of(op, static_cast<int>(i)));
    if (!infos.back().keyword_only) n_positional = i + 1;
    collect(values[i], c.overloaded, c.kept);
  }
  int64_t positional = n_positional;
  while (positional > 0 && is_default(values[positional - 1], infos[static_cast<size_t>(positional - 1)])) --positional;
  c.args = own(PyTuple_New(positional));
  c.kwargs = own(PyDict_New());
  for (int64_t i = 0; i < n; ++i) {
    if (i >= positional && (i < n_positional || is_default(values[i], infos[static_cast<size_t>(i)]))) continue;
    mt_value borrowed = values[i];
    borrowed.flags &= ~MT_FLAG_OWNED;
    Ref object = own(to_python(borrowed));
    if (values[i].tag == MT_TAG_TENSORS || values[i].tag == MT_TAG_OPTIONAL_TENSORS) object = own(PySequence_List(object.get()));
    if (i < positional) PyTuple_SET_ITEM(c.args.get(), i, object.release());
    else expect_zero(PyDict_SetItemString(c.kwargs.get(), infos[static_cast<size_t>(i)].name, object.get()));
  }
  c.types = own(PyTuple_New(static_cast<Py_ssize_t>(c.overloaded.size())));
  for (size_t i = 0; i < c.overloaded.size(); ++i) {
    PyTuple_SET_ITEM(c.types.get(), static_cast<Py_ssize_t>(i), incref(reinterpret_cast<PyObject*>(Py_TYPE(c.overloaded[i]))));
  }
  return c;
}

PyObject* ask(PyObject* holder, const PythonCall& c) {
  Ref method = own(PyObject_GetAttrString(holder, "__torch_dispatch__"));
  return own(PyObject_CallFunctionObjArgs(method.get(), c.function.get(), c.types.get(), c.args.get(), c.kwargs.get(), nullptr)).release();
}

// How many handlers of __torch_dispatch__ this thread is in.
thread_local int handlers_running = 0;
// A handler runs below autograd: what it calls is recorded by the call that it handles.
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
  if (!modes().empty()) {
    ModeOff off;
    Ref result(ask(off.mode(), c));
    if (result.get() != Py_NotImplemented) return result;
  }
  for (PyObject* object : c.overloaded) {
    Ref result(ask(object, c));
    if (result.get() != Py_NotImplemented) return result;
  }
  Ref text = own(PyObject_Str(c.function.get()));
  raise(PyExc_TypeError, "Multiple dispatch failed for '%s'; all __torch_dispatch__ handlers returned NotImplemented", PyUnicode_AsUTF8(text.get()));
}

// A Python result as the owned value that the schema promises.
void give_result(const mt_op* op, int index, PyObject* object, mt_value* out) {
  mt_arg_info ret;
  ret.struct_size = sizeof ret;
  check(mt_op_get_return(op, index, &ret));
  std::string text = std::string("f(") + ret.type + (object == Py_None ? "? result)" : " result)");
  Signature s = signature_from_text(text);
  std::vector<PyObject*> ignored;
  int failed_at = -1;
  if (object != Py_None && !accepts(s.parameters[0], object, 0, ignored, &failed_at)) {
    raise(PyExc_TypeError, "Unable to cast Python instance of type %s to C++ type '%s'", Py_TYPE(object)->tp_name, ret.type);
  }
  Arena arena;
  mt_value borrowed = convert("__torch_dispatch__", s.parameters[0], object, arena);
  check(mt_value_copy(&borrowed, out));
}

// What wants to see a call in Python has seen it once the handler runs: below it, the keys of subclasses are off only
// where the handler says so.
mt_status* python_fallback(void*, const mt_op* op, uint64_t keys, const mt_value* args, int64_t n, mt_value* rets, int64_t n_rets) {
  bool nobody = false;
  mt_status* status = callback([&] {
    PythonCall c = make_call(op, args, n);
    if (modes().empty() && c.overloaded.empty()) {
      nobody = true;
      return;
    }
    Ref result = dispatch(c);
    if (n_rets == 0) return;
    if (n_rets == 1) {
      give_result(op, 0, result.get(), &rets[0]);
      return;
    }
    Ref items = own(PySequence_Tuple(result.get()));
    if (PyTuple_GET_SIZE(items.get()) != n_rets) {
      raise(PyExc_RuntimeError, "__torch_dispatch__ returned %zd results where %lld are expected", PyTuple_GET_SIZE(items.get()), static_cast<long long>(n_rets));
    }
    for (int64_t i = 0; i < n_rets; ++i) give_result(op, static_cast<int>(i), PyTuple_GET_ITEM(items.get(), i), &rets[i]);
  });
  if (status || !nobody) return status;
  int64_t written = 0;
  return mt_op_redispatch(op, keys & (python_key - 1), args, n, rets, n_rets, &written);
}

// ---- the stack from Python -----------------------------------------------------------------------------------------------------

PyObject* push(PyObject*, PyObject* mode) {
  return guarded([&] {
    modes().push_back(incref(mode));
    include_python(true);
    return incref(Py_None);
  });
}
PyObject* pop(PyObject*, PyObject* args) {
  return guarded([&]() -> PyObject* {
    PyObject* key = nullptr;
    expect(PyArg_ParseTuple(args, "|O", &key));
    if (modes().empty()) raise(PyExc_AssertionError, "popping from an empty stack of dispatch modes");
    PyObject* mode = modes().back();
    modes().pop_back();
    if (modes().empty()) include_python(false);
    return mode;
  });
}
PyObject* length(PyObject*, PyObject*) { return PyLong_FromSize_t(modes().size()); }
PyObject* stack_at(PyObject*, PyObject* index) {
  size_t i = PyLong_AsSize_t(index);
  if (PyErr_Occurred()) return nullptr;
  if (i >= modes().size()) {
    PyErr_SetString(PyExc_RuntimeError, "Tried to get stack at idx that's too big");
    return nullptr;
  }
  return incref(modes()[i]);
}

struct GuardObject {
  PyObject_HEAD
  uint64_t included, excluded;
};
template <uint64_t Key>
PyObject* guard_enter(PyObject* object, PyObject*) {
  return guarded([&] {
    auto* self = reinterpret_cast<GuardObject*>(object);
    check(mt_dispatch_keys_get(&self->included, &self->excluded));
    check(mt_dispatch_keys_set(self->included & ~Key, self->excluded | Key));
    return incref(object);
  });
}
PyObject* guard_exit(PyObject* object, PyObject*) {
  return guarded([&] {
    auto* self = reinterpret_cast<GuardObject*>(object);
    check(mt_dispatch_keys_set(self->included, self->excluded));
    return incref(Py_None);
  });
}
// Inside a handler: calls start at the top of the dispatcher again, autograd included.
PyObject* restore_enter(PyObject* object, PyObject*) {
  return guarded([&] {
    if (!handlers_running) raise(PyExc_RuntimeError, "Accessing torch dispatch state outside of '__torch_dispatch__' is not allowed.");
    auto* self = reinterpret_cast<GuardObject*>(object);
    check(mt_dispatch_keys_get(&self->included, &self->excluded));
    check(mt_dispatch_keys_set(self->included, 0));
    return incref(object);
  });
}
PyMethodDef restore_methods[] = {
    {"__enter__", restore_enter, METH_NOARGS, nullptr}, {"__exit__", guard_exit, METH_VARARGS, nullptr}, {nullptr, nullptr, 0, nullptr}};
PyType_Slot restore_slots[] = {{Py_tp_methods, restore_methods}, {0, nullptr}};
PyType_Spec restore_spec = {"torch._C._RestorePythonTLSSnapshot", sizeof(GuardObject), 0, Py_TPFLAGS_DEFAULT, restore_slots};
// Context managers that keep one key out of the dispatcher.
template <uint64_t Key>
PyObject* make_guard(const char* name) {
  static PyMethodDef methods[] = {
      {"__enter__", guard_enter<Key>, METH_NOARGS, nullptr}, {"__exit__", guard_exit, METH_VARARGS, nullptr}, {nullptr, nullptr, 0, nullptr}};
  static PyType_Slot slots[] = {{Py_tp_methods, methods}, {0, nullptr}};
  static PyType_Spec spec = {name, sizeof(GuardObject), 0, Py_TPFLAGS_DEFAULT, slots};
  return reinterpret_cast<PyObject*>(make_type(&spec));
}

PyMethodDef functions[] = {{"_push_on_torch_dispatch_stack", push, METH_O, nullptr},
                           {"_pop_torch_dispatch_stack", pop, METH_VARARGS, nullptr},
                           {"_len_torch_dispatch_stack", length, METH_NOARGS, nullptr},
                           {"_get_dispatch_stack_at", stack_at, METH_O, nullptr},
                           {nullptr, nullptr, 0, nullptr}};

}  // namespace

void init_dispatch(PyObject* module) {
  expect_zero(PyModule_AddFunctions(module, functions));
  add_object(module, "_DisableTorchDispatch", make_guard<python_key>("torch._C._DisableTorchDispatch"));
  add_object(module, "_DisableFuncTorch", make_guard<uint64_t{1} << MT_KEY_TRANSFORMS>("torch._C._DisableFuncTorch"));
  add_object(module, "_RestorePythonTLSSnapshot", reinterpret_cast<PyObject*>(make_type(&restore_spec)));
  check(mt_fallback_register(MT_KEY_PYTHON, python_fallback, nullptr, nullptr));
}

}  // namespace mt::py
