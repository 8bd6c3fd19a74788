// The tensor object: a Python object bound to one mt_tensor, whichever of the two lives longer.
#pragma once
#include "common.h"

namespace mt::py {

// Whether this thread is inside vmap, grad, vjp or jvp (functorch.cpp); and errors for operations that batched tensors do not support.
bool in_function_transform();
void refuse_batched(PyObject* tensor, PyObject* type, const char* text);

struct TensorObject {
  PyObject_HEAD mt_tensor* tensor;         // NULL only before construction and after tp_clear
  PyObject* dict;
  PyObject* weakrefs;
  PyObject* backward_hooks;  // the dict that Python's register_hook fills
  PyObject* accumulate_hooks;
  int64_t backward_hook_id;  // id of the library's hook that runs the dict's hooks, -1 for none
  mt_node* hooked_node;      // the node that has this hook; compared, not owned
  int64_t accumulate_hook_id;
  bool owned_by_handle;      // the handle owns this object, not the reverse
  uint8_t asked;             // the properties for which the class's __torch_dispatch__ is asked: bits of Asked
  int8_t claimed_layout;     // 1 more than the layout that _make_wrapper_subclass was given, 0 for none
};

enum Asked : uint8_t { asked_strides = 1, asked_sizes = 2, asked_device = 4, asked_layout = 8 };

// An owned mt_tensor.
class Handle {
 public:
  Handle() = default;
  explicit Handle(mt_tensor* owned) : tensor_(owned) {}
  Handle(const Handle& o) : tensor_(o.tensor_) { mt_tensor_retain(tensor_); }
  Handle(Handle&& o) noexcept : tensor_(std::exchange(o.tensor_, nullptr)) {}
  Handle& operator=(Handle o) noexcept {
    std::swap(tensor_, o.tensor_);
    return *this;
  }
  ~Handle() { mt_tensor_release(tensor_); }
  static Handle borrow(mt_tensor* tensor) {
    mt_tensor_retain(tensor);
    return Handle(tensor);
  }
  mt_tensor* get() const { return tensor_; }
  mt_tensor* release() { return std::exchange(tensor_, nullptr); }
  mt_tensor** out() { return &tensor_; }
  explicit operator bool() const { return tensor_ != nullptr; }

 private:
  mt_tensor* tensor_ = nullptr;
};

inline bool is_plain_tensor(PyObject* o) { return Py_TYPE(o) == state.tensor || Py_TYPE(o) == state.parameter; }
inline bool is_tensor(PyObject* o) { return is_plain_tensor(o) || PyObject_TypeCheck(o, state.tensor_base); }
inline TensorObject* as_tensor(PyObject* o) { return reinterpret_cast<TensorObject*>(o); }
[[noreturn]] void raise_uninitialised();
inline mt_tensor* handle(PyObject* o) {
  mt_tensor* tensor = as_tensor(o)->tensor;
  if (!tensor) raise_uninitialised();
  return tensor;
}
inline mt_tensor_info info_of(mt_tensor* tensor) {
  mt_tensor_info info;
  info.struct_size = sizeof info;
  check(mt_tensor_get_info(tensor, &info));
  return info;
}
inline mt_tensor_info info_of(PyObject* o) { return info_of(handle(o)); }
// Whether `_make_wrapper_subclass` made the tensor, which then has no memory.
inline bool is_without_memory(const mt_tensor_info& info) {
  return info.keys >> MT_KEY_PYTHON & info.keys >> MT_KEY_META & 1 && info.device.type != MT_META;
}
// What the tensor's __torch_dispatch__ answers if it is asked for one of the properties `asked`; NULL if it is not, or leaves the answer
// to the tensor. `name` is a function of _asked_properties.py (tensor_methods.cpp).
PyObject* ask_dispatch(PyObject* self, const char* name, PyObject* argument);
inline PyObject* answer_of_dispatch(PyObject* self, uint8_t asked, const char* name, PyObject* argument = nullptr) {
  return as_tensor(self)->asked & asked ? ask_dispatch(self, name, argument) : nullptr;
}
PyObject* shape_of(PyObject* self);  // a torch.Size
inline int32_t layout_of(PyObject* self, const mt_tensor_info& info) {
  return as_tensor(self)->claimed_layout ? as_tensor(self)->claimed_layout - 1 : info.layout;
}
// Whether this thread records operators for backward passes.
inline bool records_gradients() {
  int32_t on = 0;
  check(mt_mode_get(MT_MODE_GRAD, &on));
  return on;
}

// The Python object of a tensor: the existing one, or a new torch.Tensor. Takes ownership of the handle; new reference.
PyObject* wrap(mt_tensor* owned);
inline PyObject* wrap(Handle tensor) { return wrap(tensor.release()); }
PyObject* wrap_borrowed(mt_tensor* tensor);
// Makes an object of a given class for a tensor that has none yet.
PyObject* wrap_in_class(mt_tensor* owned, PyTypeObject* type);
// NULL becomes None.
inline PyObject* wrap_or_none(mt_tensor* owned) { return owned ? wrap(owned) : incref(Py_None); }

// Runs the hooks of a dict on a gradient (hooks.cpp).
mt_status* run_gradient_hooks(void* dict, mt_tensor* grad, mt_tensor** replacement);
mt_status* run_accumulate_hooks(void* dict, mt_tensor* leaf);
void attach_backward_hooks(PyObject* self);

// Tables from which the type is made, one per file.
extern PyGetSetDef tensor_properties[];
extern PyGetSetDef tensor_autograd_properties[];
extern PyMethodDef tensor_methods[];
extern PyMethodDef tensor_conversion_methods[];
extern PyMethodDef tensor_npu_methods[];
extern PyMethodDef tensor_creation_methods[];
// A hand-written property: its getter, its setter and its name. Each access is first offered to __torch_function__.
struct Property {
  const char* name;
  PyObject* (*get)(PyObject* self);
  void (*set)(PyObject* self, PyObject* value);  // value NULL: deletion
  const char* doc;
};
void fill_getset_table(PyGetSetDef* table, Property* properties, size_t n);
void fill_tensor_properties();
void fill_autograd_properties();
PyObject* get_property(PyObject* self, void* property);
int set_property(PyObject* self, PyObject* value, void* property);

// Indexing (indexing.cpp, indexing_set.cpp), number protocol (operators.cpp), creation (legacy_new.cpp).
PyObject* get_item(PyObject* self, PyObject* index);
int set_item(PyObject* self, PyObject* index, PyObject* value);
Py_ssize_t tensor_length(PyObject* self);
PyObject* legacy_new(PyTypeObject* type, PyObject* args, PyObject* kwargs);

}  // namespace mt::py
