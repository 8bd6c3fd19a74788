// Values that graph nodes saved: _saved_* attributes, and SavedTensor objects (_raw_saved_*), which accept hooks.
#include <cstring>
#include <string>

#include "node.h"
#include "operators.h"
#include "tensor.h"

namespace mt::py {
namespace {

// One saved tensor of a node object or of a Function's ctx.
struct SavedObject {
  PyObject_HEAD PyObject* owner;
  int64_t index;
};
PyTypeObject* saved_type;
SavedObject* as_saved(PyObject* self) { return reinterpret_cast<SavedObject*>(self); }

int64_t count_saved(mt_node* node) {
  int64_t n = 0;
  check(mt_node_saved_count(node, &n));
  return n;
}
const char* saved_name_at(mt_node* node, int64_t index) {
  const char* name = nullptr;
  check(mt_node_saved(node, index, &name, nullptr));
  return name;
}

struct SavedContents {
  Handle tensor;
  void *user = nullptr, *packed = nullptr;
};
// Returns false if the value is not a single tensor.
bool read_saved(mt_node* node, int64_t index, SavedContents& out) {
  mt_status* status = mt_node_saved_held(node, index, out.tensor.out(), &out.user, &out.packed);
  if (status) mt_status_release(status);
  return !status;
}
SavedContents read_saved(PyObject* self) {
  SavedContents out;
  SavedObject* s = as_saved(self);
  bool freed = false;
  if (!is_function(s->owner)) {
    read_saved(to_node(s->owner), s->index, out);
  } else if (mt_saved* saved = saved_of_function(s->owner, s->index, &freed)) {
    check(mt_saved_held(saved, out.tensor.out(), &out.user, &out.packed));
  }
  return out;
}

PyObject* make_saved_object(PyObject* owner, int64_t index) {
  Ref object = own(saved_type->tp_alloc(saved_type, 0));
  as_saved(object.get())->owner = incref(owner);
  as_saved(object.get())->index = index;
  return object.release();
}

PyObject* get_data_or_packed(PyObject* self, void*) {
  return guarded([&]() -> PyObject* {
    SavedContents h = read_saved(self);
    if (h.packed && is_foreign_object(h.packed)) return incref(static_cast<PyObject*>(h.packed));
    return wrap_or_none(h.tensor.release());
  });
}
PyObject* unpack_hook(PyObject* self, void*) {
  return guarded([&] {
    SavedContents h = read_saved(self);
    bool ours = h.user && is_foreign_object(h.user);
    return incref(ours ? PyTuple_GET_ITEM(static_cast<PyObject*>(h.user), 1) : Py_None);
  });
}
PyObject* unpack_saved_object(PyObject* self, PyObject*) {
  return guarded([&]() -> PyObject* {
    SavedObject* s = as_saved(self);
    mt_node* node = to_node(s->owner);
    bool freed = false;
    if (is_function(s->owner)) {
      mt_saved* saved = saved_of_function(s->owner, s->index, &freed);
      mt_tensor* tensor = nullptr;
      if (saved) check(mt_saved_unpack(saved, node, &tensor));
      return wrap_or_none(tensor);
    }
    return saved_attribute(s->owner, saved_name_at(node, s->index), /*raw=*/false);
  });
}

PyObject* register_hooks(PyObject* self, PyObject* args) {
  return guarded([&] {
    SavedObject* s = as_saved(self);
    if (PyTuple_GET_SIZE(args) != 2 || !PyCallable_Check(PyTuple_GET_ITEM(args, 0)) || !PyCallable_Check(PyTuple_GET_ITEM(args, 1))) {
      std::string text =
          "register_hooks(): incompatible function arguments. The following argument types are supported:\n"
          "    1. (self: torch._C._autograd.SavedTensor, arg0: collections.abc.Callable, arg1: collections.abc.Callable) -> None\n\n"
          "Invoked with: ";
      Ref shown = own(PyObject_Repr(self));
      text += PyUnicode_AsUTF8(shown.get());
      for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); ++i) {
        shown = own(PyObject_Repr(PyTuple_GET_ITEM(args, i)));
        text += std::string(", ") + PyUnicode_AsUTF8(shown.get());
      }
      raise_text(PyExc_TypeError, text);
    }
    if (!is_function(s->owner)) {
      check(mt_node_saved_register_hooks(to_node(s->owner), s->index, &python_saved_hooks(), args));
      return incref(Py_None);
    }
    bool freed = false;
    mt_saved* saved = saved_of_function(s->owner, s->index, &freed);
    if (!saved) {
      raise(PyExc_RuntimeError, "%s",
            freed ? "Calling register_hooks on a saved tensor after it has been freed. Saved intermediate values of the graph are freed "
                    "when you call .backward() or autograd.grad(). Specify retain_graph=True if you need to backward through the graph a "
                    "second time or if you need to access saved variables after calling backward."
                  : "Calling register_hooks on a saved tensor with value None is forbidden");
    }
    check(mt_saved_register_hooks(saved, &python_saved_hooks(), args));
    return incref(Py_None);
  });
}

PyObject* forbid_construction(PyTypeObject*, PyObject*, PyObject*) {
  PyErr_SetString(PyExc_RuntimeError, "Trying to create a SavedTensor object from Python is forbidden.");
  return nullptr;
}
void dealloc(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  Py_CLEAR(as_saved(self)->owner);
  type->tp_free(self);
  Py_DECREF(type);
}
int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(as_saved(self)->owner);
  return 0;
}

PyMethodDef methods[] = {{"register_hooks", register_hooks, METH_VARARGS, "Lets (pack, unpack) handle what is saved; once only."},
                         {"unpack", unpack_saved_object, METH_NOARGS, "The tensor that was saved."},
                         {nullptr, nullptr, 0, nullptr}};
PyGetSetDef getset[] = {{"data", get_data_or_packed, nullptr, "What is held: the tensor, or what pack returned.", nullptr},
                        {"unpack_hook", unpack_hook, nullptr, "The unpack hook, or None.", nullptr},
                        {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyType_Slot slots[] = {{Py_tp_doc, const_cast<char*>("A tensor that a node saved.")},
                       {Py_tp_new, reinterpret_cast<void*>(forbid_construction)},
                       {Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
                       {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
                       {Py_tp_methods, methods},
                       {Py_tp_getset, getset},
                       {0, nullptr}};
PyType_Spec spec = {"torch._C._autograd.SavedTensor", sizeof(SavedObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots};

}  // namespace

PyObject* saved_attribute(PyObject* node_object, const char* name, bool raw) {
  mt_node* node = to_node(node_object);
  // Compares names first: other values may be freed already.
  for (int64_t i = 0; i < count_saved(node); ++i) {
    if (strcmp(saved_name_at(node, i), name)) continue;
    if (raw) {
      SavedContents h;
      return read_saved(node, i, h) ? make_saved_object(node_object, i) : nullptr;
    }
    mt_value value{};
    check(mt_node_saved(node, i, nullptr, &value));
    PyObject* object = guarded([&] { return to_python(value); });
    mt_value_clear(&value);
    expect(object != nullptr);
    return object;
  }
  return nullptr;
}

void append_saved_names(mt_node* node, PyObject* list) {
  auto append = [&](const std::string& text) {
    Ref name = own(PyUnicode_FromString(text.c_str()));
    expect_zero(PyList_Append(list, name.get()));
  };
  for (int64_t i = 0; i < count_saved(node); ++i) {
    std::string name = saved_name_at(node, i);
    append("_saved_" + name);
    SavedContents h;
    if (read_saved(node, i, h)) append("_raw_saved_" + name);
  }
}

PyObject* raw_saved_of_function(PyObject* ctx) {
  int64_t n = count_saved_of_function(ctx);
  Ref tuple = own(PyTuple_New(n));
  for (int64_t i = 0; i < n; ++i) PyTuple_SET_ITEM(tuple.get(), i, make_saved_object(ctx, i));
  return tuple.release();
}

void init_saved_tensor(PyObject* autograd_module) {
  saved_type = make_type(&spec);
  add_object(autograd_module, "SavedTensor", reinterpret_cast<PyObject*>(saved_type));
}

}  // namespace mt::py
