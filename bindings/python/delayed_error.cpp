// _functions.DelayedError and UndefinedGrad: return their tensors; the first raises when a gradient is requested, the second drops it.
#include <string>
#include <vector>

#include "operators.h"
#include "tensor.h"

namespace mt::py {
namespace {

struct DelayedErrorObject {
  PyObject_HEAD std::string* message;
};

mt_status* fail_backward(void* user, mt_node*, mt_tensor* const*, int64_t, mt_tensor**, int64_t) {
  return mt_status_create("RuntimeError", static_cast<std::string*>(user)->c_str());
}
void keep_nothing(void*) {}
void destroy_message(void* user) { delete static_cast<std::string*>(user); }
const mt_function_vtable vtable = {sizeof(mt_function_vtable), fail_backward, keep_nothing, destroy_message, nullptr};

PyObject* create_delayed_error(PyTypeObject* type, PyObject* args, PyObject*) {
  const char* message;
  int n;
  if (!PyArg_ParseTuple(args, "yi", &message, &n)) return nullptr;
  auto* self = reinterpret_cast<DelayedErrorObject*>(type->tp_alloc(type, 0));
  if (self) self->message = new std::string(message);
  return reinterpret_cast<PyObject*>(self);
}
void dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  delete reinterpret_cast<DelayedErrorObject*>(self)->message;
  type->tp_free(self);
  Py_DECREF(type);
}

// Aliases of the tensors among the arguments, as results of one node; None stays None.
PyObject* record_node_over_arguments(const char* name, const mt_function_vtable& table, void* user, PyObject* args) {
  const Py_ssize_t n = PyTuple_GET_SIZE(args);
  std::vector<mt_tensor*> inputs, outputs;
  std::vector<Handle> aliases;
  for (Py_ssize_t i = 0; i < n; ++i) {
    PyObject* argument = PyTuple_GET_ITEM(args, i);
    if (argument == Py_None) continue;
    if (!is_tensor(argument)) raise(PyExc_TypeError, "expected Tensor as argument %zd, but got %s", i, Py_TYPE(argument)->tp_name);
    inputs.push_back(handle(argument));
    aliases.emplace_back();
    check(mt_tensor_alias(handle(argument), 1, aliases.back().out()));
    outputs.push_back(aliases.back().get());
  }
  mt_node* node = nullptr;
  int32_t needed = 0;
  mt_status* status = mt_node_create(name, &table, user, inputs.data(), static_cast<int64_t>(inputs.size()), &node, &needed);
  if (status && table.destroy) table.destroy(user);
  check(status);
  std::vector<int32_t> flags(outputs.size(), 0);
  status = mt_node_wrap_outputs(node, needed, inputs.data(), static_cast<int64_t>(inputs.size()), outputs.data(), flags.data(),
                                static_cast<int64_t>(outputs.size()));
  mt_node_release(node);
  check(status);
  Ref result = own(PyTuple_New(n));
  size_t next = 0;
  for (Py_ssize_t i = 0; i < n; ++i) {
    bool is_none = PyTuple_GET_ITEM(args, i) == Py_None;
    PyTuple_SET_ITEM(result.get(), i, is_none ? incref(Py_None) : wrap(outputs[next++]));
  }
  return n == 1 ? incref(PyTuple_GET_ITEM(result.get(), 0)) : result.release();
}

PyObject* call_error(PyObject* self, PyObject* args, PyObject*) {
  return guarded([&] {
    return record_node_over_arguments("Error", vtable, new std::string(*reinterpret_cast<DelayedErrorObject*>(self)->message), args);
  });
}

// ---- UndefinedGrad ---------------------------------------------------------------------------------------------------

mt_status* drop_gradients(void*, mt_node*, mt_tensor* const*, int64_t, mt_tensor**, int64_t) { return nullptr; }
const mt_function_vtable undefined_vtable = {sizeof(mt_function_vtable), drop_gradients, keep_nothing, keep_nothing, nullptr};

PyObject* create_undefined(PyTypeObject* type, PyObject* args, PyObject*) {
  return guarded([&] {
    if (PyTuple_GET_SIZE(args)) raise(PyExc_RuntimeError, "Requires zero arguments, got %zd", PyTuple_GET_SIZE(args));
    return type->tp_alloc(type, 0);
  });
}
void dealloc_undefined(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}
PyObject* call_undefined(PyObject*, PyObject* args, PyObject*) {
  return guarded([&] {
    if (PyTuple_GET_SIZE(args) != 1) raise(PyExc_TypeError, "expected 1 arguments, got %zd instead", PyTuple_GET_SIZE(args));
    return record_node_over_arguments("UndefinedGradBackward", undefined_vtable, nullptr, args);
  });
}

PyType_Slot undefined_slots[] = {{Py_tp_new, reinterpret_cast<void*>(create_undefined)},
                                 {Py_tp_dealloc, reinterpret_cast<void*>(dealloc_undefined)},
                                 {Py_tp_call, reinterpret_cast<void*>(call_undefined)},
                                 {0, nullptr}};
PyType_Spec undefined_spec = {"torch._C._functions.UndefinedGrad", sizeof(PyObject), 0, Py_TPFLAGS_DEFAULT, undefined_slots};

PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void*>(create_delayed_error)},
                       {Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
                       {Py_tp_call, reinterpret_cast<void*>(call_error)},
                       {0, nullptr}};
PyType_Spec spec = {"torch._C._functions.DelayedError", sizeof(DelayedErrorObject), 0, Py_TPFLAGS_DEFAULT, slots};

}  // namespace

void init_delayed_error(PyObject* module) {
  PyObject* functions = PyDict_GetItemString(PyModule_GetDict(module), "_functions");
  if (PyObject_HasAttrString(functions, "DelayedError")) return;
  add_object(functions, "DelayedError", reinterpret_cast<PyObject*>(make_type(&spec)));
  add_object(functions, "UndefinedGrad", reinterpret_cast<PyObject*>(make_type(&undefined_spec)));
}

}  // namespace mt::py
