// _mt_ModuleBase: attribute lookup and the call of nn.Module in C. Whatever Python classes define or patch takes precedence: Python
// recomputes a class's slots when a dunder is assigned, and __init_subclass__ only fills in what nobody overrides.
#include <utility>
#include <vector>

#include "common.h"

namespace mt::py {
namespace {

PyTypeObject* base_type = nullptr;
PyObject *own_getattr, *own_call;  // the fast slots are allowed only with these descriptors
PyObject *parameters_name, *buffers_name, *modules_name, *forward_name, *wrapped_call_name, *call_impl_name, *compiled_name;
PyObject *getattr_name, *call_name, *getattribute_name;

// A module's own hooks; if any is not empty, the call runs in Python.
constexpr const char* own_hook_names[] = {"_backward_hooks", "_backward_pre_hooks", "_forward_hooks", "_forward_pre_hooks"};
PyObject* own_hooks[4];
constexpr const char* global_hook_names[] = {"_global_backward_pre_hooks", "_global_backward_hooks", "_global_forward_pre_hooks",
                                             "_global_forward_hooks"};

PyObject* dict_of(PyObject* self) {
  PyObject** place = _PyObject_GetDictPtr(self);
  return place ? *place : nullptr;
}

// Borrowed; NULL if there is no such member.
PyObject* find_member(PyObject* self, PyObject* name) {
  PyObject* dict = dict_of(self);
  if (!dict) return nullptr;
  for (PyObject* registry : {parameters_name, buffers_name, modules_name}) {
    PyObject* members = PyDict_GetItemWithError(dict, registry);
    if (!members || !PyDict_Check(members)) continue;
    if (PyObject* found = PyDict_GetItemWithError(members, name)) return found;
  }
  return nullptr;
}

PyObject* find_member_or_raise(PyObject* self, PyObject* name) {
  if (PyObject* found = find_member(self, name)) return incref(found);
  if (!PyErr_Occurred()) PyErr_Format(PyExc_AttributeError, "'%.200s' object has no attribute '%U'", Py_TYPE(self)->tp_name, name);
  return nullptr;
}

PyObject* getattro(PyObject* self, PyObject* name) {
  PyObject* found = _PyObject_GenericGetAttrWithDict(self, name, nullptr, /*suppress=*/1);
  if (found || PyErr_Occurred()) return found;
  return find_member_or_raise(self, name);
}

// The dicts of hooks for all modules; a program may replace them.
std::vector<PyObject*> read_global_module_hooks() {
  std::vector<PyObject*> all;
  for (const char* name : global_hook_names) all.push_back(import_from_root("nn.modules._module_hooks", name).release());
  return all;
}
std::vector<PyObject*>& global_module_hooks() {
  static std::vector<PyObject*> dicts = read_global_module_hooks();
  return dicts;
}
PyObject* reload_global_hooks(PyObject*, PyObject*) {
  return guarded([&] {
    std::vector<PyObject*> former = std::exchange(global_module_hooks(), read_global_module_hooks());
    for (PyObject* dict : former) Py_DECREF(dict);
    return incref(Py_None);
  });
}
PyObject* default_call_impl() {
  static PyObject* function = own(PyObject_GetAttrString(import_from_root("nn.modules.module", "Module").get(), "_call_impl")).release();
  return function;
}

bool has_hooks(PyObject* self) {
  PyObject* dict = dict_of(self);
  if (!dict) return true;
  for (PyObject* name : own_hooks) {
    PyObject* hooks = PyDict_GetItemWithError(dict, name);
    if (!hooks || !PyDict_Check(hooks) || PyDict_GET_SIZE(hooks)) return true;
  }
  for (PyObject* hooks : global_module_hooks()) {
    if (!PyDict_Check(hooks) || PyDict_GET_SIZE(hooks)) return true;
  }
  PyObject* compiled = PyDict_GetItemWithError(dict, compiled_name);
  if (compiled && compiled != Py_None) return true;
  return PyDict_GetItemWithError(dict, call_impl_name) || _PyType_Lookup(Py_TYPE(self), call_impl_name) != default_call_impl();
}

PyObject* call_module(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    Ref target = own(PyObject_GetAttr(self, has_hooks(self) ? wrapped_call_name : forward_name));
    return own(PyObject_Call(target.get(), args, kwargs)).release();
  });
}

PyObject* init_subclass(PyObject* cls, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    Ref parent = own(PyObject_CallFunctionObjArgs(reinterpret_cast<PyObject*>(&PySuper_Type), base_type, cls, nullptr));
    Ref next = own(PyObject_GetAttrString(parent.get(), "__init_subclass__"));
    own(PyObject_Call(next.get(), args, kwargs));
    auto* type = reinterpret_cast<PyTypeObject*>(cls);
    PyObject* plain_lookup = _PyType_Lookup(&PyBaseObject_Type, getattribute_name);
    if (_PyType_Lookup(type, getattr_name) == own_getattr && _PyType_Lookup(type, getattribute_name) == plain_lookup) {
      type->tp_getattro = getattro;
    }
    if (_PyType_Lookup(type, call_name) == own_call) type->tp_call = call_module;
    return incref(Py_None);
  });
}

PyMethodDef methods[] = {{"__getattr__", find_member_or_raise, METH_O,
                          "__getattr__($self, name, /)\n--\n\nFinds parameters, buffers and submodules."},
                         {"__call__", keywords(call_module), METH_VARARGS | METH_KEYWORDS,
                          "__call__($self, /, *args, **kwargs)\n--\n\nRuns `forward`, and the hooks around it."},
                         {"__init_subclass__", keywords(init_subclass), METH_VARARGS | METH_KEYWORDS | METH_CLASS, nullptr},
                         {nullptr, nullptr, 0, nullptr}};
PyMethodDef functions[] = {{"_mt_reload_global_module_hooks", reload_global_hooks, METH_NOARGS, nullptr}, {nullptr, nullptr, 0, nullptr}};
PyType_Slot slots[] = {{Py_tp_methods, methods}, {0, nullptr}};
PyType_Spec spec = {"torch._C._mt_ModuleBase", 0, 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};

PyObject* intern_string(const char* text) { return PyUnicode_InternFromString(text); }

}  // namespace

void init_module_base(PyObject* module) {
  parameters_name = intern_string("_parameters");
  buffers_name = intern_string("_buffers");
  modules_name = intern_string("_modules");
  forward_name = intern_string("forward");
  wrapped_call_name = intern_string("_wrapped_call_impl");
  call_impl_name = intern_string("_call_impl");
  compiled_name = intern_string("_compiled_call_impl");
  getattr_name = intern_string("__getattr__");
  call_name = intern_string("__call__");
  getattribute_name = intern_string("__getattribute__");
  for (int i = 0; i < 4; ++i) own_hooks[i] = intern_string(own_hook_names[i]);
  base_type = make_type(&spec);
  own_getattr = PyDict_GetItem(base_type->tp_dict, getattr_name);
  own_call = PyDict_GetItem(base_type->tp_dict, call_name);
  Ref replaced = own(Py_BuildValue("(ss)", "__getattr__", "__call__"));
  expect_zero(PyDict_SetItemString(base_type->tp_dict, "_mt_replaces", replaced.get()));
  PyType_Modified(base_type);
  add_object(module, "_mt_ModuleBase", reinterpret_cast<PyObject*>(base_type));
  expect_zero(PyModule_AddFunctions(module, functions));
}

}  // namespace mt::py
