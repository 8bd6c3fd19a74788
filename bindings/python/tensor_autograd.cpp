// A tensor's autograd interface in Python: grad, grad_fn, data, requires_grad, hooks.
#include "node.h"
#include "operators.h"
#include "tensor.h"
#include "tensor_types.h"
#include "torch_function.h"
#include "types.h"

namespace mt::py {
namespace {

bool has_tensor_flag(PyObject* self, uint32_t flag) { return info_of(self).flags & flag; }

bool transformed_has_flag(PyObject* self, uint32_t flag) {
  const Handle value = differentiated_value(self);
  return value.get() ? info_of(value.get()).flags & flag : has_tensor_flag(self, flag);
}
PyObject* requires_grad(PyObject* self) { return PyBool_FromLong(transformed_has_flag(self, MT_TENSOR_REQUIRES_GRAD)); }
PyObject* is_leaf(PyObject* self) { return PyBool_FromLong(transformed_has_flag(self, MT_TENSOR_IS_LEAF)); }
PyObject* retains_grad(PyObject* self) { return PyBool_FromLong(has_tensor_flag(self, MT_TENSOR_RETAINS_GRAD)); }

void set_requires_grad(PyObject* self, PyObject* value) {
  if (!value || !PyBool_Check(value)) raise(PyExc_RuntimeError, "requires_grad must be a bool");
  mt_tensor_info info = info_of(self);
  bool on = value == Py_True;
  if (!(info.flags & MT_TENSOR_IS_LEAF)) {
    std::string extra = on ? ""
                           : " If you want to use a computed variable in a subgraph that doesn't require differentiation use "
                             "var_no_grad = var.detach().";
    raise_text(PyExc_RuntimeError, "you can only change requires_grad flags of leaf variables." + extra);
  }
  if (on && !is_floating(info.dtype) && !is_complex(info.dtype)) {
    raise(PyExc_RuntimeError, "only Tensors of floating point and complex dtype can require gradients");
  }
  check(mt_tensor_set_requires_grad(handle(self), on));
}

PyObject* grad_fn(PyObject* self) {
  mt_node* node = nullptr;
  const Handle value = differentiated_value(self);
  check(mt_tensor_grad_fn(value.get() ? value.get() : handle(self), &node));
  return node_or_none(node);
}
PyObject* output_nr(PyObject* self) {
  int64_t nr = 0;
  check(mt_tensor_output_nr(handle(self), &nr));
  return PyLong_FromLongLong(nr);
}
PyObject* version(PyObject* self) {
  if (has_tensor_flag(self, MT_TENSOR_IS_INFERENCE)) raise(PyExc_RuntimeError, "Inference tensors do not track version counter.");
  int64_t version = 0;
  check(mt_tensor_version(handle(self), &version));
  return PyLong_FromLongLong(version);
}
PyObject* base(PyObject* self) {
  mt_tensor* base = nullptr;
  check(mt_tensor_base(handle(self), &base));
  return wrap_or_none(base);
}

PyObject* grad(PyObject* self) {
  mt_tensor_info info = info_of(self);
  if (!(info.flags & (MT_TENSOR_IS_LEAF | MT_TENSOR_RETAINS_GRAD | MT_TENSOR_HAS_GRAD))) {
    warn(PyExc_UserWarning,
         "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be "
         "populated during autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf Tensor, "
         "use .retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by mistake, make sure you access "
         "the leaf Tensor instead. See github.com/pytorch/pytorch/pull/30531 for more information.");
  }
  mt_tensor* grad = nullptr;
  check(mt_tensor_grad(handle(self), &grad));
  return wrap_or_none(grad);
}

std::string shape_text(const mt_tensor_info& info) {
  std::string text = "[";
  for (int64_t i = 0; i < info.ndim; ++i) text += (i ? ", " : "") + std::to_string(info.sizes[i]);
  return text + "]";
}

void set_grad(PyObject* self, PyObject* value) {
  if (!value || value == Py_None) {
    check(mt_tensor_set_grad(handle(self), nullptr));
    return;
  }
  if (!is_tensor(value)) {
    raise(PyExc_TypeError, "assigned grad expected to be a Tensor or None but got grad of type %s", Py_TYPE(value)->tp_name);
  }
  if (self == value) raise(PyExc_RuntimeError, "can't assign Variable as its own grad");
  mt_tensor_info mine = info_of(self), theirs = info_of(value);
  int32_t wanted = -1;
  check(mt_tensor_grad_dtype(handle(self), &wanted));
  if (wanted == -1) wanted = mine.dtype;
  if (wanted >= 0 && theirs.dtype != wanted) {
    raise(PyExc_RuntimeError,
          "attempting to assign a gradient with dtype '%s' to a tensor with grad_dtype '%s'. The gradient must match the "
          "tensor's grad_dtype (defaults to the tensor's dtype). You can set the tensor's grad_dtype attribute with a "
          "specific dtype, or None to allow any dtype. Set grad_dtype with caution. Diverging the dtypes of a tensor and "
          "its gradient may break downstream systems that assume they match.",
          cpp_type_name(theirs.dtype), scalar_type_name(wanted));
  }
  if (theirs.device.type != mine.device.type) {
    raise(PyExc_RuntimeError,
          "attempting to assign a gradient with device type '%s' to a tensor with device type '%s'. Please ensure that the "
          "gradient and the tensor are on the same device",
          mt_device_type_name(theirs.device.type), mt_device_type_name(mine.device.type));
  }
  // A sparse_coo gradient fits every tensor, any other gradient only a tensor of the same layout family.
  if (theirs.layout != MT_SPARSE_COO && layout_family(theirs) != layout_family(mine)) {
    raise(PyExc_RuntimeError, "attempting to assign a gradient to a tensor that has data of a different type");
  }
  if (shape_text(mine) != shape_text(theirs)) {
    raise(PyExc_RuntimeError,
          "attempting to assign a gradient of size '%s' to a tensor of size '%s'. Please ensure that the gradient and the "
          "tensor are the same size",
          shape_text(theirs).c_str(), shape_text(mine).c_str());
  }
  check(mt_tensor_set_grad(handle(self), handle(value)));
}

PyObject* data(PyObject* self) {
  refuse_batched(self, PyExc_RuntimeError, "accessing `data` under vmap transform is not allowed");
  if (overrides_torch_dispatch(Py_TYPE(self))) {
    const mt_value value = tensor_value(handle(self));
    return wrap(call_for_tensor(find_op("detach", ""), &value, 1));
  }
  Handle alias;
  check(mt_tensor_alias(handle(self), /*share_version=*/0, alias.out()));
  return wrap(std::move(alias));
}
void set_data(PyObject* self, PyObject* value) {
  if (!value) raise(PyExc_RuntimeError, "Deleting tensor data is not allowed. Delete tensor instead!");
  if (!is_tensor(value)) raise(PyExc_TypeError, "Variable data has to be a tensor, but got %s", Py_TYPE(value)->tp_name);
  check(mt_tensor_set_data(handle(self), handle(value)));
}

PyObject* grad_dtype(PyObject* self) {
  int32_t code = -1;
  check(mt_tensor_grad_dtype(handle(self), &code));
  if (code == -2) return incref(Py_None);
  return dtype_object(code == -1 ? info_of(self).dtype : code);
}
void set_grad_dtype(PyObject* self, PyObject* value) {
  if (!has_tensor_flag(self, MT_TENSOR_IS_LEAF)) raise(PyExc_RuntimeError, "grad_dtype can only be set on leaf tensors.");
  if (!value || (value != Py_None && !is_dtype(value))) {
    raise(PyExc_RuntimeError, "grad_dtype must be a torch.dtype or None, but got %s", value ? Py_TYPE(value)->tp_name : "nothing");
  }
  check(mt_tensor_set_grad_dtype(handle(self), value == Py_None ? -2 : dtype_code(value)));
}

// An in-place write makes another node the tensor's own; hooks stay at the one that they were registered at.
void forget_hooks_of_older_node(PyObject* self) {
  auto* tensor = as_tensor(self);
  if (tensor->backward_hook_id < 0 || !tensor->hooked_node || has_tensor_flag(self, MT_TENSOR_IS_VIEW)) return;
  mt_node* node = nullptr;
  check(mt_tensor_grad_fn(handle(self), &node));
  const bool is_another = node && node != tensor->hooked_node;
  if (node) mt_node_release(node);
  if (!is_another) return;
  tensor->backward_hook_id = -1;
  Py_CLEAR(tensor->backward_hooks);
}

PyObject* backward_hooks(PyObject* self) {
  forget_hooks_of_older_node(self);
  PyObject* hooks = as_tensor(self)->backward_hooks;
  return incref(hooks ? hooks : Py_None);
}
void set_backward_hooks(PyObject* self, PyObject* value) {
  if (!value) raise(PyExc_RuntimeError, "Deletion of _backward_hooks not allowed!");
  forget_hooks_of_older_node(self);
  auto* tensor = as_tensor(self);
  if (tensor->backward_hook_id >= 0) check(mt_tensor_remove_hook(handle(self), tensor->backward_hook_id));
  tensor->backward_hook_id = -1;
  Py_XSETREF(tensor->backward_hooks, value == Py_None ? nullptr : incref(value));
  // A tensor that does not require a gradient has no node to attach hooks to; its hooks wait in the dict.
  if (has_tensor_flag(self, MT_TENSOR_REQUIRES_GRAD)) attach_backward_hooks(self);
}
PyObject* accumulate_hooks(PyObject* self) {
  PyObject* hooks = as_tensor(self)->accumulate_hooks;
  return incref(hooks ? hooks : Py_None);
}
void set_accumulate_hooks(PyObject* self, PyObject* value) {
  if (!value) raise(PyExc_RuntimeError, "Deletion of _post_accumulate_grad_hooks not allowed!");
  auto* tensor = as_tensor(self);
  if (tensor->accumulate_hook_id >= 0) check(mt_tensor_remove_hook(handle(self), tensor->accumulate_hook_id));
  tensor->accumulate_hook_id = -1;
  Py_XSETREF(tensor->accumulate_hooks, value == Py_None ? nullptr : incref(value));
  if (value == Py_None) return;
  hold_foreign(value);
  mt_status* status = mt_tensor_add_accumulate_hook(handle(self), run_accumulate_hooks, value, drop_foreign, &tensor->accumulate_hook_id);
  if (status) drop_foreign(value);
  check(status);
}

Property properties[] = {
    {"requires_grad", requires_grad, set_requires_grad, "Whether gradients are computed; settable for floating-point and complex leaves."},
    {"is_leaf", is_leaf, nullptr, "Whether no recorded operator made the tensor."},
    {"retains_grad", retains_grad, nullptr, "Whether a tensor that is no leaf keeps its gradient."},
    {"grad_fn", grad_fn, nullptr, "The node that made the tensor, or None."},
    {"_grad_fn", grad_fn, nullptr, "The same as grad_fn."},
    {"output_nr", output_nr, nullptr, "Which of grad_fn's outputs the tensor is."},
    {"_version", version, nullptr, "How often the data was changed in place; raises for inference tensors."},
    {"_base", base, nullptr, "The tensor that this is a view of, or None."},
    {"grad", grad, set_grad, "The sum of gradients so far, or None; settable: same shape and device, dtype grad_dtype."},
    {"_grad", grad, set_grad, "The same as grad."},
    {"grad_dtype", grad_dtype, set_grad_dtype, "The dtype of grad, None for any; settable for leaves."},
    {"data", data, set_data, "A detached tensor over the same memory; setting it takes another tensor's contents."},
    {"_backward_hooks", backward_hooks, set_backward_hooks, "The dict of gradient hooks, or None."},
    {"_post_accumulate_grad_hooks", accumulate_hooks, set_accumulate_hooks, "The dict of hooks after accumulation, or None."},
};
constexpr size_t count = sizeof properties / sizeof *properties;

// A copy of the values of a dict of hooks: hooks may remove themselves while they run.
Ref hooks_of(PyObject* dict) { return own(PySequence_List(own(PyObject_CallMethod(dict, "values", nullptr)).get())); }

}  // namespace

PyGetSetDef tensor_autograd_properties[count + 1] = {};
void fill_autograd_properties() { fill_getset_table(tensor_autograd_properties, properties, count); }

void attach_backward_hooks(PyObject* self) {
  auto* tensor = as_tensor(self);
  if (!tensor->backward_hooks || tensor->backward_hook_id >= 0) return;
  hold_foreign(tensor->backward_hooks);
  mt_status* status = mt_tensor_add_nullable_hook(handle(self), run_gradient_hooks, tensor->backward_hooks, drop_foreign,
                                                  &tensor->backward_hook_id);
  if (status) drop_foreign(tensor->backward_hooks);
  check(status);
  mt_node* node = nullptr;
  check(mt_tensor_grad_fn(handle(self), &node));
  tensor->hooked_node = node;
  if (node) mt_node_release(node);
}

mt_status* run_gradient_hooks(void* user, mt_tensor* grad, mt_tensor** replacement) {
  return callback([&] {
    auto* dict = static_cast<PyObject*>(user);
    Ref value = own(grad ? wrap_borrowed(grad) : incref(Py_None));
    Ref first = value;
    Ref hooks = hooks_of(dict);
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(hooks.get()); ++i) {
      PyObject* hook = PyList_GET_ITEM(hooks.get(), i);
      Ref result = own(PyObject_CallOneArg(hook, value.get()));
      if (result.get() == Py_None) continue;
      check_hook_result(hook, value.get(), result.get());
      value = result;
    }
    if (value.get() != first.get()) *replacement = Handle::borrow(handle(value.get())).release();
  });
}

mt_status* run_accumulate_hooks(void* user, mt_tensor* leaf) {
  return callback([&] {
    Ref value = own(wrap_borrowed(leaf));
    Ref hooks = hooks_of(static_cast<PyObject*>(user));
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(hooks.get()); ++i) {
      Ref result = own(PyObject_CallOneArg(PyList_GET_ITEM(hooks.get(), i), value.get()));
      if (result.get() != Py_None) raise(PyExc_RuntimeError, "Tensor post accumulate grad hooks should return None.");
    }
  });
}

}  // namespace mt::py
