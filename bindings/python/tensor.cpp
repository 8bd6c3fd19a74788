// TensorBase: the lifetime of a tensor object, its identity with the handle, and garbage collection.
#include <cstddef>
#include <cstring>

#include "documentation.h"
#include "operators.h"
#include "tensor.h"
#include "torch_function.h"

namespace mt::py {
namespace {

constexpr int free_list_size = 256;
PyObject* free_list[free_list_size];
int free_list_count = 0;

void on_handle_freed(void* object);
const mt_binding_vtable binding_vtable = {sizeof(mt_binding_vtable), on_handle_freed};

// Called when a tensor handle that owned its Python object was freed.
void on_handle_freed(void* object) {
  auto* self = static_cast<TensorObject*>(object);
  self->tensor = nullptr;
  self->owned_by_handle = false;
  drop_foreign(object);
}

PyObject* allocate_tensor_object(PyTypeObject* type) {
  if (type == state.tensor && free_list_count) {
    PyObject* self = free_list[--free_list_count];
    Py_INCREF(type);
    _Py_NewReference(self);
    PyObject_GC_Track(self);
    return self;
  }
  PyObject* self = own(type->tp_alloc(type, 0)).release();
  as_tensor(self)->backward_hook_id = as_tensor(self)->accumulate_hook_id = -1;
  return self;
}

// Whether the Python object has state that would be lost if the handle made a new object.
bool is_worth_keeping(TensorObject* self) {
  return Py_TYPE(self) != state.tensor || (self->dict && PyDict_GET_SIZE(self->dict)) || self->weakrefs || self->backward_hooks ||
         self->accumulate_hooks;
}

// Whether the handle is still used elsewhere, for example in a graph, and may need its Python object again.
bool is_handle_used_elsewhere(TensorObject* self) {
  if (!self->tensor || self->owned_by_handle || !is_worth_keeping(self)) return false;
  int64_t owners = 0;
  if (mt_status* status = mt_tensor_use_count(self->tensor, &owners)) {
    mt_status_release(status);
    return false;
  }
  return owners >= 2;
}

bool try_resurrect(TensorObject* self) {
  if (!is_handle_used_elsewhere(self)) return false;
  auto* object = reinterpret_cast<PyObject*>(self);
  Py_SET_REFCNT(object, 0);
  hold_foreign(object);  // for the handle's reference
  self->owned_by_handle = true;
  if (mt_status* status = mt_tensor_binding_own(self->tensor, state.binding_id, 1)) mt_status_release(status);
  mt_tensor_release(self->tensor);
  return true;
}

// Calls use(PyObject*&) for each slot of the classes below Tensor: slots live as long as the object, which may outlive its last reference.
template <class F>
int for_each_slot(PyObject* object, F use) {
  for (PyTypeObject* type = Py_TYPE(object); type != state.tensor && type != state.tensor_base; type = type->tp_base) {
    // CPython stores the descriptions of a class's __slots__ directly after the class object.
    const auto* slots = reinterpret_cast<const PyMemberDef*>(reinterpret_cast<const char*>(type) + Py_TYPE(type)->tp_basicsize);
    for (Py_ssize_t i = 0; i < Py_SIZE(type); ++i) {
      if (slots[i].type != T_OBJECT_EX || slots[i].flags & READONLY) continue;
      if (int result = use(*reinterpret_cast<PyObject**>(reinterpret_cast<char*>(object) + slots[i].offset))) return result;
    }
  }
  return 0;
}

void dealloc(PyObject* object) {
  auto* self = as_tensor(object);
  if (try_resurrect(self)) return;
  PyTypeObject* type = Py_TYPE(object);
  if (type->tp_finalize && PyObject_CallFinalizerFromDealloc(object) < 0) return;
  PyObject_GC_UnTrack(object);
  Py_TRASHCAN_BEGIN(object, dealloc);
  if (self->weakrefs) PyObject_ClearWeakRefs(object);
  for_each_slot(object, [](PyObject*& slot) {
    Py_CLEAR(slot);
    return 0;
  });
  Py_CLEAR(self->dict);
  Py_CLEAR(self->backward_hooks);
  Py_CLEAR(self->accumulate_hooks);
  self->backward_hook_id = self->accumulate_hook_id = -1;
  if (mt_tensor* tensor = std::exchange(self->tensor, nullptr)) {
    if (mt_status* status = mt_tensor_binding_set(tensor, state.binding_id, nullptr, nullptr)) mt_status_release(status);
    if (!self->owned_by_handle) mt_tensor_release(tensor);
  }
  if (type == state.tensor && free_list_count < free_list_size) {
    free_list[free_list_count++] = object;
  } else {
    type->tp_free(object);
  }
  Py_DECREF(type);
  Py_TRASHCAN_END;
}

struct Visit {
  visitproc visit;
  void* argument;
};
int32_t visit_foreign_object(void* user, void* argument) {
  auto* visitor = static_cast<Visit*>(argument);
  return is_foreign_object(user) ? visitor->visit(static_cast<PyObject*>(user), visitor->argument) : 0;
}

bool is_sole_owner(TensorObject* self) {
  int64_t owners = 0;
  if (!self->tensor || self->owned_by_handle) return false;
  if (mt_status* status = mt_tensor_use_count(self->tensor, &owners)) {
    mt_status_release(status);
    return false;
  }
  return owners == 1;
}

int traverse_tensor(PyObject* object, visitproc visit, void* arg) {
  auto* self = as_tensor(object);
  if (is_handle_used_elsewhere(self)) return 0;  // other owners of the handle also keep the object's references alive
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(self->dict);
  Py_VISIT(self->backward_hooks);
  Py_VISIT(self->accumulate_hooks);
  if (int result = for_each_slot(object, [&](PyObject*& slot) { return slot ? visit(slot, arg) : 0; })) return result;
  if (!is_sole_owner(self)) return 0;
  Visit visitor{visit, arg};
  int32_t result = 0;
  if (mt_status* status = mt_tensor_traverse(self->tensor, visit_foreign_object, &visitor, &result)) mt_status_release(status);
  return result;
}

int clear_tensor(PyObject* object) {
  auto* self = as_tensor(object);
  if (is_handle_used_elsewhere(self)) return 0;  // the object must survive its last Python reference
  for_each_slot(object, [](PyObject*& slot) {
    Py_CLEAR(slot);
    return 0;
  });
  Py_CLEAR(self->dict);
  Py_CLEAR(self->backward_hooks);
  Py_CLEAR(self->accumulate_hooks);
  if (is_sole_owner(self)) {
    if (mt_status* status = mt_tensor_clear_autograd(self->tensor)) mt_status_release(status);
  }
  return 0;
}

PyObject* create_tensor(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  return guarded([&] {
    if (type == state.tensor_base) {
      raise(PyExc_RuntimeError, "Cannot directly construct TensorBase; subclass it and then construct that");
    }
    return legacy_new(type, args, kwargs);
  });
}

// The metaclass registers torch.Tensor and torch.nn.Parameter when Python defines them.
int init_tensor_class(PyObject* cls, PyObject* args, PyObject* kwargs) {
  if (PyType_Type.tp_init(cls, args, kwargs) < 0) return -1;
  auto* type = reinterpret_cast<PyTypeObject*>(cls);
  if (!state.tensor && type->tp_base == state.tensor_base && !strcmp(type->tp_name, "Tensor")) {
    state.tensor = reinterpret_cast<PyTypeObject*>(incref(cls));
  } else if (!state.parameter && type->tp_base == state.tensor && !strcmp(type->tp_name, "Parameter") &&
             PyDict_GetItemString(type->tp_dict, "__torch_function__") == state.disabled_torch_function) {
    state.parameter = reinterpret_cast<PyTypeObject*>(incref(cls));
  } else if (state.tensor && type->tp_base == state.tensor_base) {
    PyErr_SetString(PyExc_RuntimeError, "Cannot subclass _TensorBase directly");
    return -1;
  }
  if (!state.tensor || !PyType_IsSubtype(type, state.tensor)) return 0;
  install_fast_numbers(type);
  // Replaces Python's default functions, which do not visit __slots__ here. Tensor and its subclasses must share these functions: otherwise
  // Python refuses to assign an object's __class__.
  type->tp_dealloc = dealloc;
  type->tp_traverse = traverse_tensor;
  type->tp_clear = clear_tensor;
  if (type == state.tensor) return 0;
  return guarded([&] {
    disable_torch_function_of(type);
    return cls;
  })
             ? 0
             : -1;
}

PyMemberDef members[] = {{"__weaklistoffset__", T_PYSSIZET, offsetof(TensorObject, weakrefs), READONLY, nullptr},
                         {"__dictoffset__", T_PYSSIZET, offsetof(TensorObject, dict), READONLY, nullptr},
                         {nullptr, 0, 0, 0, nullptr}};

PyType_Slot meta_slots[] = {{Py_tp_init, reinterpret_cast<void*>(init_tensor_class)}, {0, nullptr}};
PyType_Spec meta_spec = {"torch._C._TensorMeta", 0, 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, meta_slots};

template <class T>
void append_until_null(std::vector<T>& all, const T* more) {
  for (; more->name; ++more) all.push_back(*more);
}
template <>
void append_until_null(std::vector<PyMethodDef>& all, const PyMethodDef* more) {
  for (; more->ml_name; ++more) all.push_back(*more);
}

}  // namespace

void raise_uninitialised() { raise(PyExc_RuntimeError, "this tensor object holds no tensor: its constructor was not run"); }

PyObject* wrap_in_class(mt_tensor* owned, PyTypeObject* type) {
  Handle tensor(owned);
  PyObject* self = allocate_tensor_object(type);
  as_tensor(self)->tensor = tensor.get();
  as_tensor(self)->owned_by_handle = false;
  if (mt_status* status = mt_tensor_binding_set(tensor.get(), state.binding_id, self, &binding_vtable)) {
    as_tensor(self)->tensor = nullptr;
    Py_DECREF(self);
    raise_status(status);
  }
  tensor.release();
  if (type != state.tensor && type != state.parameter && overrides_torch_dispatch(type)) {
    check(mt_tensor_keys_set(owned, uint64_t{1} << MT_KEY_PYTHON, 0));
  }
  return self;
}

PyObject* wrap(mt_tensor* owned) {
  void* object = nullptr;
  int32_t handle_owns = 0;
  check(mt_tensor_binding_get(owned, state.binding_id, &object, &handle_owns));
  if (!object) return wrap_in_class(owned, state.tensor ? state.tensor : state.tensor_base);
  auto* self = static_cast<PyObject*>(object);
  if (!handle_owns) {
    mt_tensor_release(owned);
    return incref(self);
  }
  // The program uses the object again, so ownership is reversed: the object takes over this reference to the handle, and the caller gets
  // the handle's reference to the object.
  check(mt_tensor_binding_own(owned, state.binding_id, 0));
  as_tensor(self)->owned_by_handle = false;
  Py_INCREF(self);
  drop_foreign(self);
  return self;
}

PyObject* wrap_borrowed(mt_tensor* tensor) {
  mt_tensor_retain(tensor);
  return wrap(tensor);
}

PyObject* get_property(PyObject* self, void* closure) {
  auto* property = static_cast<Property*>(closure);
  return guarded([&] {
    if (overrides_torch_function(self) && !function_state().skips()) return call_torch_function_getter(self, property->name);
    return property->get(self);
  });
}

int set_property(PyObject* self, PyObject* value, void* closure) {
  auto* property = static_cast<Property*>(closure);
  return guarded_int([&] {
    if (overrides_torch_function(self) && !function_state().skips()) {
      call_torch_function_setter(self, property->name, value);
    } else if (property->set) {
      property->set(self, value);
    } else {
      raise(PyExc_AttributeError, "attribute '%s' of 'torch._C.TensorBase' objects is not writable", property->name);
    }
    return 0;
  });
}

void init_tensor(PyObject* module) {
  PyTypeObject* meta = make_type(&meta_spec, &PyType_Type);
  add_object(module, "_TensorMeta", reinterpret_cast<PyObject*>(meta));

  static std::vector<PyMethodDef> methods;  // the type keeps a pointer to it
  append_until_null(methods, tensor_methods);
  append_until_null(methods, tensor_conversion_methods);
  append_until_null(methods, tensor_npu_methods);
  append_until_null(methods, tensor_creation_methods);
  methods.push_back({nullptr, nullptr, 0, nullptr});
  add_documentation(methods.data(), "Tensor");
  methods.pop_back();
  append_operator_methods(methods);
  methods.push_back({nullptr, nullptr, 0, nullptr});
  fill_tensor_properties();
  fill_autograd_properties();
  static std::vector<PyGetSetDef> getset;
  append_until_null(getset, tensor_properties);
  append_until_null(getset, tensor_autograd_properties);
  getset.push_back({"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr});
  getset.push_back({nullptr, nullptr, nullptr, nullptr, nullptr});

  std::vector<PyType_Slot> slots = {{Py_tp_doc, const_cast<char*>("What torch.Tensor derives from.")},
                                    {Py_tp_dealloc, reinterpret_cast<void*>(dealloc)},
                                    {Py_tp_traverse, reinterpret_cast<void*>(traverse_tensor)},
                                    {Py_tp_clear, reinterpret_cast<void*>(clear_tensor)},
                                    {Py_tp_new, reinterpret_cast<void*>(create_tensor)},
                                    {Py_tp_members, members},
                                    {Py_tp_methods, methods.data()},
                                    {Py_tp_getset, getset.data()},
                                    {Py_mp_length, reinterpret_cast<void*>(tensor_length)},
                                    {Py_mp_subscript, reinterpret_cast<void*>(get_item)},
                                    {Py_mp_ass_subscript, reinterpret_cast<void*>(set_item)}};
  slots.push_back({0, nullptr});
  PyType_Spec spec = {"torch._C.TensorBase", sizeof(TensorObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
                      slots.data()};
  state.tensor_base = make_type(&spec);
  Py_SET_TYPE(reinterpret_cast<PyObject*>(state.tensor_base), meta);
  Py_INCREF(meta);
  add_object(module, "TensorBase", reinterpret_cast<PyObject*>(state.tensor_base));
  add_object(module, "_TensorBase", reinterpret_cast<PyObject*>(state.tensor_base));
}

}  // namespace mt::py
