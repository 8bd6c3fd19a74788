// _FunctionBase: the C part of autograd.Function. A ctx object is the `user` pointer of its node, and represents the node in Python.
#include <cstring>
#include <vector>

#include "node.h"
#include "operators.h"
#include "tensor.h"
#include "torch_function.h"
#include "types.h"

namespace mt::py {
namespace {

PyTypeObject* function_type = nullptr;

struct FunctionObject {
  PyObject_HEAD mt_node* node;  // borrowed: the graph owns the node, and the node owns this object
  PyObject* dict;
  PyObject* weakrefs;
  PyObject* needs_input_grad;
  PyObject* to_save;
  PyObject* non_differentiable;
  PyObject* dirty_tensors;
  PyObject* saved_for_forward;
  std::vector<mt_saved*>* saved;       // NULL entries for None
  std::vector<bool>* input_is_tensor;  // per argument of forward
  std::vector<bool>* output_is_tensor;
  std::vector<bool>* output_is_constant;  // what mark_non_differentiable() was given
  bool materialize_grads, materialize_non_diff_grads, clear_saved_on_access, pure_view, freed;
};
FunctionObject* as_function(PyObject* o) { return reinterpret_cast<FunctionObject*>(o); }

constexpr const char* freed_text =
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already been freed). "
    "Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify retain_graph=True if "
    "you need to backward through the graph a second time or if you need to access saved tensors after calling backward.";

mt_node* need_node(PyObject* self, const char* attribute) {
  mt_node* node = as_function(self)->node;
  if (!node) {
    raise(PyExc_RuntimeError,
          "Attribute '%s' is invalid for this instance of _C._FunctionBase. Accessing this attribute directly on an instance of "
          "autograd.Function is a legacy access pattern that is no longer supported. For examples on how to use new-style autograd "
          "functions, see https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function ",
          attribute);
  }
  return node;
}

PyObject* create_function(PyTypeObject* type, PyObject*, PyObject*) {
  PyObject* self = type->tp_alloc(type, 0);
  if (self) {
    auto* f = as_function(self);
    f->materialize_grads = f->materialize_non_diff_grads = true;
    f->saved = new std::vector<mt_saved*>;
    f->input_is_tensor = new std::vector<bool>;
    f->output_is_tensor = new std::vector<bool>;
    f->output_is_constant = new std::vector<bool>;
  }
  return self;
}

void drop_saved(FunctionObject* f) {
  for (mt_saved* saved : std::exchange(*f->saved, {})) mt_saved_release(saved);
}
int clear_function(PyObject* self) {
  auto* f = as_function(self);
  for (PyObject** field : {&f->dict, &f->needs_input_grad, &f->to_save, &f->non_differentiable, &f->dirty_tensors, &f->saved_for_forward}) {
    Py_CLEAR(*field);
  }
  if (f->saved) drop_saved(f);
  return 0;
}
int traverse_function(PyObject* self, visitproc visit, void* arg) {
  auto* f = as_function(self);
  Py_VISIT(Py_TYPE(self));
  for (PyObject* field : {f->dict, f->needs_input_grad, f->to_save, f->non_differentiable, f->dirty_tensors, f->saved_for_forward}) {
    Py_VISIT(field);
  }
  return 0;
}
void dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  auto* f = as_function(self);
  PyObject_GC_UnTrack(self);
  if (f->weakrefs) PyObject_ClearWeakRefs(self);
  clear_function(self);
  delete f->saved;
  delete f->input_is_tensor;
  delete f->output_is_tensor;
  delete f->output_is_constant;
  type->tp_free(self);
  Py_DECREF(type);
}

// ---- callbacks of the node ----------------------------------------------------------------------------------------------------

Ref make_gradient_tuple(FunctionObject* f, mt_node* node, mt_tensor* const* grads, int64_t n) {
  Ref tuple = own(PyTuple_New(static_cast<Py_ssize_t>(f->output_is_tensor->size())));
  for (size_t i = 0; i < f->output_is_tensor->size(); ++i) {
    PyObject* value = nullptr;
    if ((*f->output_is_tensor)[i] && static_cast<int64_t>(i) < n) {
      if (grads[i]) {
        value = wrap_borrowed(grads[i]);
      } else if (f->materialize_grads && (f->materialize_non_diff_grads || !(*f->output_is_constant)[i])) {
        Handle zeros;
        check(mt_node_input_zeros(node, static_cast<int64_t>(i), zeros.out()));
        value = wrap(std::move(zeros));
      }
    }
    PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), value ? value : incref(Py_None));
  }
  return tuple;
}

mt_status* apply_node(void* user, mt_node* node, mt_tensor* const* grads, int64_t n, mt_tensor** out, int64_t n_out) {
  return callback([&] {
    auto* self = static_cast<PyObject*>(user);
    auto* f = as_function(self);
    Ref arguments = make_gradient_tuple(f, node, grads, n);
    Ref method = own(PyObject_GetAttrString(self, "apply"));
    Ref result = own(PyObject_CallObject(method.get(), arguments.get()));
    if (!PyTuple_Check(result.get())) result = own(PyTuple_Pack(1, result.get()));
    const char* name = Py_TYPE(self)->tp_name;
    auto expected = static_cast<Py_ssize_t>(f->input_is_tensor->size());
    Py_ssize_t given = PyTuple_GET_SIZE(result.get());
    // backward may return more gradients than there are inputs if the surplus ones are None.
    while (given > expected && PyTuple_GET_ITEM(result.get(), given - 1) == Py_None) --given;
    if (given != expected) {
      raise(PyExc_RuntimeError, "function %s returned an incorrect number of gradients (expected %zd, got %zd)", name, expected, given);
    }
    int64_t edge = 0;
    for (Py_ssize_t i = 0; i < expected; ++i) {
      PyObject* value = PyTuple_GET_ITEM(result.get(), i);
      if (!(*f->input_is_tensor)[static_cast<size_t>(i)]) {
        if (value == Py_None) continue;
        raise(PyExc_RuntimeError,
              "function %s returned a gradient different than None at position %zd, but the corresponding forward input was not a Variable",
              name, i + 1);
      }
      if (value != Py_None && !is_tensor(value)) {
        raise(PyExc_RuntimeError, "expected Variable or None (got %s)", Py_TYPE(value)->tp_name);
      }
      if (edge < n_out && value != Py_None) out[edge] = Handle::borrow(handle(value)).release();
      ++edge;
    }
  });
}
void release_saved(void* user) {
  Gil gil;
  auto* f = as_function(static_cast<PyObject*>(user));
  if (!f->saved->empty()) f->freed = true;
  drop_saved(f);
}
void destroy_function(void* user) {
  if (interpreter_is_alive()) {
    Gil gil;
    as_function(static_cast<PyObject*>(user))->node = nullptr;
  }
  drop_foreign(user);
}
int32_t visit_function(void* user, int32_t (*visit)(void*, void*), void* argument) { return visit(user, argument); }
const mt_function_vtable vtable = {sizeof(mt_function_vtable), apply_node, release_saved, destroy_function, visit_function};

void ignore_ownership_change(void*) {}
const mt_binding_vtable binding_vtable = {sizeof(mt_binding_vtable), ignore_ownership_change};

// ---- apply ---------------------------------------------------------------------------------------------------------------------

bool tuple_contains(PyObject* tuple, PyObject* object) {
  for (Py_ssize_t i = 0; tuple && PyTuple_Check(tuple) && i < PyTuple_GET_SIZE(tuple); ++i) {
    if (PyTuple_GET_ITEM(tuple, i) == object) return true;
  }
  return false;
}

void check_marked(PyObject* marked, PyObject* outputs, const char* attribute) {
  if (!marked || marked == Py_None) return;
  if (!PyTuple_Check(marked)) {
    raise(PyExc_TypeError, "autograd internal error: %s attribute is expected to be a tuple but is %s", attribute,
          Py_TYPE(marked)->tp_name);
  }
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(marked); ++i) {
    PyObject* tensor = PyTuple_GET_ITEM(marked, i);
    if (!is_tensor(tensor)) {
      raise(PyExc_TypeError, "%s can only accept variables, but argument %zd is of type %s",
            !strcmp(attribute, "dirty_tensors") ? "mark_dirty" : "mark_non_differentiable", i, Py_TYPE(tensor)->tp_name);
    }
    if (!strcmp(attribute, "dirty_tensors") && !tuple_contains(outputs, tensor)) {
      raise(PyExc_RuntimeError,
            "Some elements marked as dirty during the forward method were not returned as output. The inputs that are modified "
            "inplace must all be outputs of the Function.");
    }
  }
}

void save_variables(PyObject* self, mt_node* node, const std::vector<mt_tensor*>& outputs) {
  auto* f = as_function(self);
  PyObject* to_save = f->to_save;
  if (!to_save || to_save == Py_None) return;
  if (!PyTuple_Check(to_save))
    raise(PyExc_TypeError, "saved_tensors attribute is expected to be a tuple, but is %s", Py_TYPE(to_save)->tp_name);
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(to_save); ++i) {
    PyObject* object = PyTuple_GET_ITEM(to_save, i);
    if (object == Py_None) {
      f->saved->push_back(nullptr);
      continue;
    }
    if (!is_tensor(object)) {
      raise(PyExc_TypeError, "save_for_backward can only save variables, but argument %zd is of type %s", i, Py_TYPE(object)->tp_name);
    }
    bool is_output = false;
    for (mt_tensor* output : outputs) is_output |= output == handle(object);
    if (is_output) {
      mt_node* producer = nullptr;
      check(mt_tensor_grad_fn(handle(object), &producer));
      is_output = producer == node;
      mt_node_release(producer);
    }
    mt_saved* saved = nullptr;
    check(mt_saved_create(handle(object), is_output, &saved));
    f->saved->push_back(saved);
  }
  Py_CLEAR(f->to_save);
}

class GradModeOff {
 public:
  GradModeOff() {
    check(mt_mode_get(MT_MODE_GRAD, &before_));
    check(mt_mode_set(MT_MODE_GRAD, 0));
  }
  ~GradModeOff() {
    if (mt_status* status = mt_mode_set(MT_MODE_GRAD, before_)) mt_status_release(status);
  }

 private:
  int32_t before_ = 1;
};

bool has_setup_context(PyObject* cls) {
  static PyObject* plain =
      own(PyObject_GetAttrString(import_from_root("autograd.function", "_SingleLevelFunction").get(), "setup_context")).release();
  Ref own_one = own(PyObject_GetAttrString(cls, "setup_context"));
  return own_one.get() != plain;
}

// Shows the call in a profile.
class ProfiledCall {
 public:
  explicit ProfiledCall(const char* name) { check(mt_profiler_begin(name, MT_PROFILE_OPERATOR, &token_)); }
  ~ProfiledCall() { mt_profiler_end(token_); }
  ProfiledCall(const ProfiledCall&) = delete;

 private:
  int64_t token_ = -1;
};

Ref run_forward(PyObject* cls, PyObject* ctx, PyObject* args, PyObject* kwargs) {
  GradModeOff off;
  Ref forward = own(PyObject_GetAttrString(cls, "forward"));
  if (has_setup_context(cls)) {
    Ref output = own(PyObject_CallObject(forward.get(), args));
    Ref setup = own(PyObject_GetAttrString(cls, "setup_context"));
    own(PyObject_CallFunctionObjArgs(setup.get(), ctx, args, output.get(), nullptr));
    return output;
  }
  Py_ssize_t n = PyTuple_GET_SIZE(args);
  Ref with_ctx = own(PyTuple_New(n + 1));
  PyTuple_SET_ITEM(with_ctx.get(), 0, incref(ctx));
  for (Py_ssize_t i = 0; i < n; ++i) PyTuple_SET_ITEM(with_ctx.get(), i + 1, incref(PyTuple_GET_ITEM(args, i)));
  return own(PyObject_Call(forward.get(), with_ctx.get(), kwargs));
}

struct OwnedNode {
  mt_node* node = nullptr;
  ~OwnedNode() { mt_node_release(node); }
};

// Keyword arguments are inputs too, after the positional ones.
Ref collect_inputs(PyObject* args, PyObject* kwargs) {
  if (!kwargs || !PyDict_GET_SIZE(kwargs)) return Ref::borrow(args);
  Ref list = own(PyDict_Values(kwargs)), named = own(PyList_AsTuple(list.get()));
  return own(PySequence_Concat(args, named.get()));
}

PyObject* apply(PyObject* cls, PyObject* positional, PyObject* kwargs) {
  return guarded([&] {
    const Ref every = collect_inputs(positional, kwargs);
    PyObject* args = every.get();
    ensure_thread();
    ProfiledCall profiled(reinterpret_cast<PyTypeObject*>(cls)->tp_name);
    Ref node_class = own(PyObject_GetAttrString(cls, "_backward_cls"));
    Ref ctx = own(PyObject_CallNoArgs(node_class.get()));
    if (!is_function(ctx.get())) raise(PyExc_TypeError, "_backward_cls must be a subclass of _C._FunctionBase");
    auto* f = as_function(ctx.get());
    Py_ssize_t n = PyTuple_GET_SIZE(args);
    std::vector<mt_tensor*> inputs;
    Ref needs = own(PyTuple_New(n));
    for (Py_ssize_t i = 0; i < n; ++i) {
      PyObject* argument = PyTuple_GET_ITEM(args, i);
      bool tensor = is_tensor(argument);
      f->input_is_tensor->push_back(tensor);
      bool needed = tensor && info_of(argument).flags & MT_TENSOR_REQUIRES_GRAD;
      if (tensor) inputs.push_back(handle(argument));
      PyTuple_SET_ITEM(needs.get(), i, PyBool_FromLong(needed));
    }
    Py_XSETREF(f->needs_input_grad, needs.release());

    OwnedNode node;
    int32_t needed = 0;
    hold_foreign(ctx.get());
    mt_status* status = mt_node_create(Py_TYPE(ctx.get())->tp_name, &vtable, ctx.get(), inputs.data(), static_cast<int64_t>(inputs.size()),
                                       &node.node, &needed);
    if (status) drop_foreign(ctx.get());
    check(status);
    f->node = node.node;
    check(mt_node_binding_set(node.node, state.binding_id, ctx.get(), &binding_vtable));
    if (PyObject* clears = PyObject_GetAttrString(cls, "clear_saved_tensors_on_access")) {
      f->clear_saved_on_access = PyObject_IsTrue(clears) == 1;
      Py_DECREF(clears);
    } else {
      PyErr_Clear();
    }

    Ref output = run_forward(cls, ctx.get(), positional, kwargs);
    bool single = !PyTuple_Check(output.get());
    Ref outputs = single ? own(PyTuple_Pack(1, output.get())) : output;
    check_marked(f->dirty_tensors, outputs.get(), "dirty_tensors");
    check_marked(f->non_differentiable, outputs.get(), "non_differentiable");

    // An output that is no tensor still counts in the numbering of the node's outputs.
    std::vector<mt_tensor*> raw, wrapped;
    std::vector<int32_t> flags;
    Py_ssize_t n_outputs = PyTuple_GET_SIZE(outputs.get());
    for (Py_ssize_t i = 0; i < n_outputs; ++i) {
      PyObject* item = PyTuple_GET_ITEM(outputs.get(), i);
      f->output_is_tensor->push_back(is_tensor(item));
      f->output_is_constant->push_back(tuple_contains(f->non_differentiable, item));
      raw.push_back(is_tensor(item) ? handle(item) : nullptr);
      flags.push_back((tuple_contains(f->dirty_tensors, item) ? MT_OUTPUT_DIRTY : 0) |
                      (tuple_contains(f->non_differentiable, item) ? MT_OUTPUT_NON_DIFFERENTIABLE : 0));
    }
    wrapped = raw;
    check(mt_node_wrap_outputs(node.node, needed, inputs.data(), static_cast<int64_t>(inputs.size()), wrapped.data(), flags.data(),
                               static_cast<int64_t>(wrapped.size())));
    Ref result = own(PyTuple_New(n_outputs));
    for (Py_ssize_t i = 0; i < n_outputs; ++i) {
      PyObject* item = PyTuple_GET_ITEM(outputs.get(), i);
      if (!is_tensor(item)) {
        PyTuple_SET_ITEM(result.get(), i, incref(item));
        continue;
      }
      // An input that forward returns becomes a view of it, which keeps a class that overrides functions.
      mt_tensor* output = wrapped[static_cast<size_t>(i)];
      const bool is_view = raw[static_cast<size_t>(i)] != output && overrides_torch_function(item);
      PyTuple_SET_ITEM(result.get(), i, is_view ? wrap_in_class(output, Py_TYPE(item)) : wrap(output));
    }
    if (needed) save_variables(ctx.get(), node.node, wrapped);
    Py_CLEAR(f->to_save);
    Py_CLEAR(f->dirty_tensors);
    Py_CLEAR(f->non_differentiable);
    return single ? incref(PyTuple_GET_ITEM(result.get(), 0)) : result.release();
  });
}

// ---- attributes ----------------------------------------------------------------------------------------------------------------

PyObject* saved_tensors(PyObject* self, void*) {
  return guarded([&] {
    auto* f = as_function(self);
    if (f->saved_for_forward) return incref(f->saved_for_forward);
    if (f->freed) raise(PyExc_RuntimeError, "%s", freed_text);
    Ref tuple = own(PyTuple_New(static_cast<Py_ssize_t>(f->saved->size())));
    for (size_t i = 0; i < f->saved->size(); ++i) {
      mt_tensor* tensor = nullptr;
      if ((*f->saved)[i]) check(mt_saved_unpack((*f->saved)[i], f->node, &tensor));
      PyTuple_SET_ITEM(tuple.get(), static_cast<Py_ssize_t>(i), wrap_or_none(tensor));
    }
    if (f->clear_saved_on_access) {
      drop_saved(f);
      f->freed = true;
    }
    return tuple.release();
  });
}
PyObject* raw_saved_tensors(PyObject* self, void*) {
  return guarded([&] {
    if (as_function(self)->freed) raise(PyExc_RuntimeError, "%s", freed_text);
    return raw_saved_of_function(self);
  });
}
PyObject* saved_variables(PyObject* self, void* closure) {
  if (PyErr_WarnEx(PyExc_DeprecationWarning, "'saved_variables' is deprecated; use 'saved_tensors'", 1) < 0) return nullptr;
  return saved_tensors(self, closure);
}
PyObject* next_functions(PyObject* self, void*) {
  return guarded([&] { return node_next_functions(need_node(self, "next_functions")); });
}
PyObject* metadata(PyObject* self, void*) {
  return guarded([&] { return node_metadata(need_node(self, "metadata")); });
}
PyObject* requires_grad(PyObject* self, void*) { return PyBool_FromLong(as_function(self)->node != nullptr); }
PyObject* input_metadata(PyObject* self, void*) {
  return guarded([&] { return PyLong_FromLong(need_node(self, "_input_metadata") != nullptr); });
}

PyObject* name(PyObject* self, PyObject*) { return PyUnicode_FromString(Py_TYPE(self)->tp_name); }
PyObject* register_hook(PyObject* self, PyObject* hook) {
  return guarded([&] { return node_register_hook(need_node(self, "register_hook"), hook, false); });
}
PyObject* register_prehook(PyObject* self, PyObject* hook) {
  return guarded([&] { return node_register_hook(need_node(self, "register_prehook"), hook, true); });
}
PyObject* sequence_nr(PyObject* self, PyObject*) {
  return guarded([&] { return node_sequence_nr(need_node(self, "_sequence_nr")); });
}
PyObject* maybe_clear(PyObject* self, PyObject*) {
  auto* f = as_function(self);
  if (f->clear_saved_on_access) drop_saved(f);
  Py_RETURN_NONE;
}

PyMethodDef methods[] = {{"apply", keywords(apply), METH_VARARGS | METH_KEYWORDS | METH_CLASS,
                          "Runs `forward` and records the function as one node."},
                         {"name", name, METH_NOARGS, "The node's name."},
                         {"register_hook", register_hook, METH_O,
                          "Calls hook(input gradients, output gradients) after the node; returns a handle."},
                         {"register_prehook", register_prehook, METH_O, "Calls hook(output gradients) before the node; returns a handle."},
                         {"_register_hook_dict", node_register_hook_dict, METH_O, nullptr},
                         {"_sequence_nr", sequence_nr, METH_NOARGS, nullptr},
                         {"maybe_clear_saved_tensors", maybe_clear, METH_NOARGS, "Drops saved tensors if access clears them."},
                         {nullptr, nullptr, 0, nullptr}};
PyGetSetDef getset[] = {{"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
                        {"saved_tensors", saved_tensors, nullptr, "The tensors of save_for_backward(); raises once they are freed.",
                         nullptr},
                        {"_raw_saved_tensors", raw_saved_tensors, nullptr, nullptr, nullptr},
                        {"saved_variables", saved_variables, nullptr, "Deprecated: saved_tensors.", nullptr},
                        {"next_functions", next_functions, nullptr, "Where gradients go: (node or None, input's number) each.", nullptr},
                        {"metadata", metadata, nullptr, "A dict for the program's own notes.", nullptr},
                        {"requires_grad", requires_grad, nullptr, "Whether the object belongs to a node.", nullptr},
                        {"_input_metadata", input_metadata, nullptr, nullptr, nullptr},
                        {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMemberDef members[] = {{"needs_input_grad", T_OBJECT, offsetof(FunctionObject, needs_input_grad), 0,
                          "For each argument of forward, whether its gradient is wanted."},
                         {"to_save", T_OBJECT, offsetof(FunctionObject, to_save), 0, "What save_for_backward() was given."},
                         {"non_differentiable", T_OBJECT, offsetof(FunctionObject, non_differentiable), 0,
                          "What mark_non_differentiable() was given."},
                         {"dirty_tensors", T_OBJECT, offsetof(FunctionObject, dirty_tensors), 0, "What mark_dirty() was given."},
                         {"saved_for_forward", T_OBJECT, offsetof(FunctionObject, saved_for_forward), 0,
                          "What save_for_forward() was given."},
                         {"materialize_grads", T_BOOL, offsetof(FunctionObject, materialize_grads), 0,
                          "Whether backward sees zeros where there is no gradient."},
                         {"_materialize_non_diff_grads", T_BOOL, offsetof(FunctionObject, materialize_non_diff_grads), 0, nullptr},
                         {"_is_pure_view", T_BOOL, offsetof(FunctionObject, pure_view), 0, nullptr},
                         {"__weaklistoffset__", T_PYSSIZET, offsetof(FunctionObject, weakrefs), READONLY, nullptr},
                         {"__dictoffset__", T_PYSSIZET, offsetof(FunctionObject, dict), READONLY, nullptr},
                         {nullptr, 0, 0, 0, nullptr}};
PyType_Slot slots[] = {{Py_tp_doc, const_cast<char*>("The base of autograd.Function: a call's context and its node in the graph.")},
                       {Py_tp_new, reinterpret_cast<void*>(create_function)},
                       {Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
                       {Py_tp_traverse, reinterpret_cast<void*>(traverse_function)},
                       {Py_tp_clear, reinterpret_cast<void*>(clear_function)},
                       {Py_tp_methods, methods},
                       {Py_tp_getset, getset},
                       {Py_tp_members, members},
                       {0, nullptr}};
PyType_Spec spec = {"torch._C._FunctionBase", sizeof(FunctionObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
                    slots};

}  // namespace

bool is_function(PyObject* o) { return PyObject_TypeCheck(o, function_type); }
int64_t count_saved_of_function(PyObject* ctx) { return static_cast<int64_t>(as_function(ctx)->saved->size()); }
mt_saved* saved_of_function(PyObject* ctx, int64_t index, bool* freed) {
  auto* f = as_function(ctx);
  *freed = f->freed;
  return static_cast<size_t>(index) < f->saved->size() ? (*f->saved)[static_cast<size_t>(index)] : nullptr;
}
mt_node* node_of_function(PyObject* ctx) { return as_function(ctx)->node; }

void init_function(PyObject* module) {
  function_type = make_type(&spec);
  add_object(module, "_FunctionBase", reinterpret_cast<PyObject*>(function_type));
}

}  // namespace mt::py
