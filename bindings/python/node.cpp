// grad_fn objects: one Python type per kind of node, made on first use.
#include "node.h"

#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "operators.h"
#include "tensor.h"
#include "types.h"

namespace mt::py {
namespace {

PyObject* functions_module = nullptr;
std::map<std::string, PyTypeObject*>& node_types_by_name() {
  static auto* all = new std::map<std::string, PyTypeObject*>;
  return *all;
}

mt_node* node_of_object(PyObject* self) { return reinterpret_cast<NodeObject*>(self)->node; }

struct InputMetadata {
  PyObject_HEAD PyObject *shape, *dtype, *device;
  bool is_nested_tensor, is_cpp_nested_tensor;
};
PyTypeObject* input_metadata_type;
void dealloc_input_metadata(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  auto* m = reinterpret_cast<InputMetadata*>(self);
  for (PyObject* field : {m->shape, m->dtype, m->device}) Py_XDECREF(field);
  type->tp_free(self);
  Py_DECREF(type);
}
PyMemberDef input_metadata_members[] = {{"shape", T_OBJECT, offsetof(InputMetadata, shape), READONLY, nullptr},
                                        {"dtype", T_OBJECT, offsetof(InputMetadata, dtype), READONLY, nullptr},
                                        {"device", T_OBJECT, offsetof(InputMetadata, device), READONLY, nullptr},
                                        {"is_nested_tensor", T_BOOL, offsetof(InputMetadata, is_nested_tensor), READONLY, nullptr},
                                        {"is_cpp_nested_tensor", T_BOOL, offsetof(InputMetadata, is_cpp_nested_tensor), READONLY, nullptr},
                                        {nullptr, 0, 0, 0, nullptr}};
PyType_Slot input_metadata_slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(dealloc_input_metadata)},
                                      {Py_tp_members, input_metadata_members},
                                      {0, nullptr}};
PyType_Spec input_metadata_spec = {"torch._C._autograd._InputMetadata", sizeof(InputMetadata), 0,
                                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, input_metadata_slots};

void ignore_ownership_change(void*) {}
const mt_binding_vtable binding_vtable = {sizeof(mt_binding_vtable), ignore_ownership_change};

void dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  if (mt_node* node = node_of_object(self)) {
    if (mt_status* status = mt_node_binding_set(node, state.binding_id, nullptr, nullptr)) mt_status_release(status);
    mt_node_release(node);
  }
  type->tp_free(self);
  Py_DECREF(type);
}

struct Visit {
  visitproc visit;
  void* argument;
};
int32_t visit_foreign_object(void* user, void* argument) {
  auto* v = static_cast<Visit*>(argument);
  return is_foreign_object(user) ? v->visit(static_cast<PyObject*>(user), v->argument) : 0;
}
int traverse_node(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  int64_t owners = 0;
  if (mt_status* status = mt_node_use_count(node_of_object(self), &owners)) mt_status_release(status);
  if (owners != 1) return 0;
  Visit v{visit, arg};
  int32_t result = 0;
  if (mt_status* status = mt_node_traverse(node_of_object(self), visit_foreign_object, &v, &result)) mt_status_release(status);
  return result;
}

const char* name_of(mt_node* node) {
  const char* name = nullptr;
  check(mt_node_name_borrow(node, &name));
  return name;
}

PyObject* getattro(PyObject* self, PyObject* name) {
  PyObject* found = PyObject_GenericGetAttr(self, name);
  if (found || !PyErr_ExceptionMatches(PyExc_AttributeError)) return found;
  const char* text = PyUnicode_AsUTF8(name);
  if (!text) return nullptr;
  bool raw = !strncmp(text, "_raw_saved_", 11);
  if (!raw && strncmp(text, "_saved_", 7)) return nullptr;
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyObject* result = guarded([&] { return saved_attribute(self, text + (raw ? 11 : 7), raw); });
  // As in torch, a saved list of integers is returned as a tuple.
  if (result && PyList_CheckExact(result) && PyList_GET_SIZE(result) && PyLong_CheckExact(PyList_GET_ITEM(result, 0)))
    Py_SETREF(result, PyList_AsTuple(result));
  if (result || PyErr_Occurred()) {
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(traceback);
  } else {
    PyErr_Restore(type, value, traceback);
  }
  return result;
}

PyObject* list_attributes(PyObject* self, PyObject*) {
  return guarded([&] {
    Ref names = own(PyObject_CallMethod(reinterpret_cast<PyObject*>(&PyBaseObject_Type), "__dir__", "O", self));
    append_saved_names(node_of_object(self), names.get());
    return names.release();
  });
}

// torch's graph nodes are callable: they map gradients of the results to gradients of the arguments.
PyObject* call_node(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    mt_node* node = node_of_object(self);
    if (kwargs && PyDict_GET_SIZE(kwargs)) raise(PyExc_TypeError, "keyword arguments are not supported");
    int64_t n = PyTuple_GET_SIZE(args), n_out = 0;
    check(mt_node_edge_count(node, &n_out));
    std::vector<mt_tensor*> grads;
    for (int64_t i = 0; i < n; ++i) {
      PyObject* grad = PyTuple_GET_ITEM(args, i);
      if (grad != Py_None && !is_tensor(grad)) raise(PyExc_TypeError, "argument %d is not a Variable", static_cast<int>(i));
      grads.push_back(grad == Py_None ? nullptr : handle(grad));
    }
    std::vector<mt_tensor*> results(static_cast<size_t>(n_out));
    mt_status* status;
    {
      NoGil unlocked;
      status = mt_node_apply(node, grads.data(), n, results.data(), n_out);
    }
    check(status);
    if (n_out == 1) return wrap_or_none(results[0]);
    Ref tuple = own(PyTuple_New(n_out));
    for (int64_t i = 0; i < n_out; ++i) PyTuple_SET_ITEM(tuple.get(), i, wrap_or_none(results[static_cast<size_t>(i)]));
    return tuple.release();
  });
}

// ---- hooks and metadata ------------------------------------------------------------------------------------------------------

// A node's Python data: {"metadata": dict, "pre": hooks, "post": hooks}, made on first use.
PyObject* python_data_of_node(mt_node* node) {
  void* data = nullptr;
  check(mt_node_metadata_borrow(node, &data));
  if (data) return static_cast<PyObject*>(data);
  Ref note = own(PyDict_New());
  Ref metadata = own(PyDict_New());
  expect_zero(PyDict_SetItemString(note.get(), "metadata", metadata.get()));
  check(mt_node_set_metadata(node, hold_foreign(note.get()), drop_foreign));
  return note.get();
}

Ref make_tensor_tuple(mt_tensor* const* tensors, int64_t n) {
  Ref tuple = own(PyTuple_New(n));
  for (int64_t i = 0; i < n; ++i) {
    PyTuple_SET_ITEM(tuple.get(), i, tensors[i] ? wrap_borrowed(tensors[i]) : incref(Py_None));
  }
  return tuple;
}

// A hook's result as a tuple of the expected length.
Ref check_hook_result_length(PyObject* hook, PyObject* before, Ref result, int64_t n) {
  if (n == 1 && !PyTuple_Check(result.get())) result = own(PyTuple_Pack(1, result.get()));
  if (!PyTuple_Check(result.get())) {
    raise(PyExc_TypeError, "expected tuple, but hook returned '%s'", Py_TYPE(result.get())->tp_name);
  }
  if (PyTuple_GET_SIZE(result.get()) != n) {
    raise_text(PyExc_RuntimeError, "hook '" + hook_name(hook) + "' has returned an incorrect number of values (got " +
                                       std::to_string(PyTuple_GET_SIZE(result.get())) + ", but expected " + std::to_string(n) + ")");
  }
  for (int64_t i = 0; i < n; ++i) check_hook_result(hook, PyTuple_GET_ITEM(before, i), PyTuple_GET_ITEM(result.get(), i));
  return result;
}

mt_status* run_node_hooks(void* user, mt_tensor* const* grads, int64_t n, mt_tensor* const* incoming, int64_t n_incoming,
                          mt_tensor** replacement, int32_t* replaced, bool pre) {
  return callback([&] {
    Ref given = make_tensor_tuple(grads, n), arrived = pre ? Ref() : make_tensor_tuple(incoming, n_incoming);
    Ref current = given;
    Ref values = own(PyObject_CallMethod(static_cast<PyObject*>(user), "values", nullptr));
    Ref hooks = own(PySequence_List(values.get()));
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(hooks.get()); ++i) {
      PyObject* hook = PyList_GET_ITEM(hooks.get(), i);
      Ref result = own(pre ? PyObject_CallOneArg(hook, current.get())
                           : PyObject_CallFunctionObjArgs(hook, current.get(), arrived.get(), nullptr));
      if (result.get() != Py_None) current = check_hook_result_length(hook, current.get(), result, n);
    }
    if (current.get() == given.get()) return;
    for (int64_t i = 0; i < n; ++i) {
      PyObject* item = PyTuple_GET_ITEM(current.get(), i);
      replacement[i] = item == Py_None ? nullptr : Handle::borrow(handle(item)).release();
    }
    *replaced = 1;
  });
}
mt_status* run_pre(void* user, mt_tensor* const* grads, int64_t n, mt_tensor* const* incoming, int64_t n_incoming, mt_tensor** replacement,
                   int32_t* replaced) {
  return run_node_hooks(user, grads, n, incoming, n_incoming, replacement, replaced, true);
}
mt_status* run_post(void* user, mt_tensor* const* grads, int64_t n, mt_tensor* const* incoming, int64_t n_incoming, mt_tensor** replacement,
                    int32_t* replaced) {
  return run_node_hooks(user, grads, n, incoming, n_incoming, replacement, replaced, false);
}

// ---- methods -----------------------------------------------------------------------------------------------------------------

PyObject* next_functions(PyObject* self, void*) {
  return guarded([&] { return node_next_functions(node_of_object(self)); });
}
PyObject* metadata(PyObject* self, void*) {
  return guarded([&] { return node_metadata(node_of_object(self)); });
}
PyObject* requires_grad(PyObject* self, void*) {
  return guarded([&] {
    int64_t n = 0;
    check(mt_node_edge_count(node_of_object(self), &n));
    bool any = false;
    for (int64_t i = 0; i < n && !any; ++i) {
      mt_node* next = nullptr;
      int64_t nr = 0;
      check(mt_node_edge(node_of_object(self), i, &next, &nr));
      any = next != nullptr;
      mt_node_release(next);
    }
    return PyBool_FromLong(any);
  });
}
PyObject* variable(PyObject* self, void*) {
  return guarded([&]() -> PyObject* {
    mt_tensor* leaf = nullptr;
    check(mt_node_variable(node_of_object(self), &leaf));
    if (!leaf) raise(PyExc_AttributeError, "'%s' object has no attribute 'variable'", Py_TYPE(self)->tp_name);
    return wrap(leaf);
  });
}
PyObject* input_metadata(PyObject* self, void*) {
  return guarded([&] {
    int64_t n = 0;
    check(mt_node_input_count(node_of_object(self), &n));
    Ref all = own(PyTuple_New(n));
    for (int64_t i = 0; i < n; ++i) {
      Handle zeros;
      check(mt_node_input_zeros(node_of_object(self), i, zeros.out()));
      mt_tensor_info info = info_of(zeros.get());
      Ref entry = own(input_metadata_type->tp_alloc(input_metadata_type, 0));
      auto* m = reinterpret_cast<InputMetadata*>(entry.get());
      m->shape = own(PySequence_List(own(size_object({info.sizes, static_cast<size_t>(info.ndim)})).get())).release();
      m->dtype = own(dtype_object(info.dtype)).release();
      m->device = own(device_object(info.device)).release();
      PyTuple_SET_ITEM(all.get(), i, entry.release());
    }
    return all.release();
  });
}
PyObject* name(PyObject* self, PyObject*) {
  return guarded([&] {
    const std::string text = name_of(node_of_object(self));
    const bool ours = text == "AccumulateGrad" || text == "CopyBackwards" || text == "CopySlices" || text == "NotImplemented";
    return PyUnicode_FromString((ours ? "torch::autograd::" + text : text).c_str());
  });
}
PyObject* register_hook(PyObject* self, PyObject* hook) {
  return guarded([&] { return node_register_hook(node_of_object(self), hook, /*pre=*/false); });
}
PyObject* register_prehook(PyObject* self, PyObject* hook) {
  return guarded([&] { return node_register_hook(node_of_object(self), hook, /*pre=*/true); });
}
PyObject* sequence_nr(PyObject* self, PyObject*) {
  return guarded([&] { return node_sequence_nr(node_of_object(self)); });
}

PyObject* set_sequence_nr(PyObject* self, PyObject* nr) {
  return guarded([&] {
    check(mt_node_set_sequence_nr(node_of_object(self), to_int64(nr)));
    return incref(Py_None);
  });
}

PyMethodDef methods[] = {{"name", name, METH_NOARGS, "The node's name."},
                         {"register_hook", register_hook, METH_O,
                          "Calls hook(input gradients, output gradients) after the node; returns a handle."},
                         {"register_prehook", register_prehook, METH_O, "Calls hook(output gradients) before the node; returns a handle."},
                         {"_register_hook_dict", node_register_hook_dict, METH_O, nullptr},
                         {"_sequence_nr", sequence_nr, METH_NOARGS, nullptr},
                         {"_set_sequence_nr", set_sequence_nr, METH_O, nullptr},
                         {"__dir__", list_attributes, METH_NOARGS, nullptr},
                         {nullptr, nullptr, 0, nullptr}};
PyGetSetDef getset[] = {{"next_functions", next_functions, nullptr, "Where gradients go: (node or None, input's number) each.", nullptr},
                        {"metadata", metadata, nullptr, "A dict for the program's own notes.", nullptr},
                        {"requires_grad", requires_grad, nullptr, "Whether gradients go on from the node.", nullptr},
                        {"_input_metadata", input_metadata, nullptr, nullptr, nullptr},
                        {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyGetSetDef leaf_getset[] = {{"next_functions", next_functions, nullptr, "Where gradients go: (node or None, input's number) each.",
                              nullptr},
                             {"metadata", metadata, nullptr, "A dict for the program's own notes.", nullptr},
                             {"requires_grad", requires_grad, nullptr, "Whether gradients go on from the node.", nullptr},
                             {"_input_metadata", input_metadata, nullptr, nullptr, nullptr},
                             {"variable", variable, nullptr, "The leaf that gradients are added to.", nullptr},
                             {nullptr, nullptr, nullptr, nullptr, nullptr}};

PyTypeObject* type_of(const char* node_name) {
  auto [it, is_new] = node_types_by_name().try_emplace(node_name, nullptr);
  if (!is_new) return it->second;
  bool is_leaf = !strcmp(node_name, "AccumulateGrad");
  auto* full = new std::string(std::string("builtins.") + node_name);  // the type keeps a pointer to it
  PyType_Slot slots[] = {{Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
                         {Py_tp_traverse, reinterpret_cast<void*>(traverse_node)},
                         {Py_tp_getattro, reinterpret_cast<void*>(getattro)},
                         {Py_tp_call, reinterpret_cast<void*>(call_node)},
                         {Py_tp_methods, methods},
                         {Py_tp_getset, is_leaf ? leaf_getset : getset},
                         {0, nullptr}};
  PyType_Spec spec = {full->c_str(), sizeof(NodeObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                      slots};
  it->second = make_type(&spec);
  it->second->tp_name = full->c_str() + strlen("builtins.");  // repr shows the name, and torch's has no module
  add_object(functions_module, node_name, reinterpret_cast<PyObject*>(it->second));
  return it->second;
}

}  // namespace

PyObject* node_object(mt_node* owned) {
  void* object = nullptr;
  int32_t handle_owns = 0;
  check(mt_node_binding_get(owned, state.binding_id, &object, &handle_owns));
  if (object) {
    // A Function's ctx, or the existing object.
    PyObject* known = incref(static_cast<PyObject*>(object));
    mt_node_release(owned);
    return known;
  }
  PyTypeObject* type = type_of(name_of(owned));
  auto* self = reinterpret_cast<NodeObject*>(type->tp_alloc(type, 0));
  if (!self) {
    mt_node_release(owned);
    throw PythonError{};
  }
  self->node = owned;
  check(mt_node_binding_set(owned, state.binding_id, self, &binding_vtable));
  return reinterpret_cast<PyObject*>(self);
}

mt_node* to_node(PyObject* o) {
  if (is_function(o)) return node_of_function(o);
  if (Py_TYPE(o)->tp_dealloc != dealloc) raise(PyExc_TypeError, "expected a grad_fn, got %s", Py_TYPE(o)->tp_name);
  return node_of_object(o);
}

PyObject* node_next_functions(mt_node* node) {
  int64_t n = 0;
  check(mt_node_edge_count(node, &n));
  Ref tuple = own(PyTuple_New(n));
  for (int64_t i = 0; i < n; ++i) {
    mt_node* next = nullptr;
    int64_t nr = 0;
    check(mt_node_edge(node, i, &next, &nr));
    Ref object = own(node_or_none(next));
    PyTuple_SET_ITEM(tuple.get(), i, own(Py_BuildValue("(OL)", object.get(), static_cast<long long>(nr))).release());
  }
  return tuple.release();
}

PyObject* node_metadata(mt_node* node) { return incref(PyDict_GetItemString(python_data_of_node(node), "metadata")); }

PyObject* node_register_hook_dict(PyObject*, PyObject* tensor) {
  return guarded([&] {
    if (!is_tensor(tensor)) raise(PyExc_TypeError, "_register_hook_dict expected a Tensor");
    attach_backward_hooks(tensor);
    return incref(Py_None);
  });
}
PyObject* node_sequence_nr(mt_node* node) {
  int64_t nr = 0;
  check(mt_node_sequence_nr(node, &nr));
  return PyLong_FromLongLong(nr);
}
PyObject* node_register_hook(mt_node* node, PyObject* hook, bool pre) {
  PyObject* note = python_data_of_node(node);
  const char* key = pre ? "pre" : "post";
  Ref hooks = Ref::borrow(PyDict_GetItemString(note, key));
  if (!hooks) {
    Ref collections = own(PyImport_ImportModule("collections"));
    hooks = own(PyObject_CallMethod(collections.get(), "OrderedDict", nullptr));
    expect_zero(PyDict_SetItemString(note, key, hooks.get()));
    int64_t id = 0;
    hold_foreign(hooks.get());
    mt_status* status = mt_node_add_hook(node, pre, pre ? run_pre : run_post, hooks.get(), drop_foreign, &id);
    if (status) drop_foreign(hooks.get());
    check(status);
  }
  Ref handle_type = import_from_root("utils.hooks", "RemovableHandle");
  Ref removable = own(PyObject_CallOneArg(handle_type.get(), hooks.get()));
  Ref id = own(PyObject_GetAttrString(removable.get(), "id"));
  expect_zero(PyObject_SetItem(hooks.get(), id.get(), hook));
  return removable.release();
}

void init_node(PyObject*) {
  functions_module = add_submodule("_functions", nullptr);
  type_of("AccumulateGrad");
  input_metadata_type = make_type(&input_metadata_spec);
}

}  // namespace mt::py
