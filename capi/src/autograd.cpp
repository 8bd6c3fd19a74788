// Autograd state of tensors, and the thread's modes.
#include "autograd/forward.h"
#include "autograd/meta.h"
#include "autograd_support.h"

using namespace mt;
using namespace mt::capi;

namespace {

bool* switch_of(int32_t mode) {
  switch (mode) {
    case MT_MODE_GRAD: return &thread_state.grad_mode;
    case MT_MODE_INFERENCE: return &thread_state.inference_mode;
    case MT_MODE_ANOMALY: return &thread_state.anomaly;
    case MT_MODE_ANOMALY_CHECK_NAN: return &thread_state.anomaly_check_nan;
    case MT_MODE_MULTITHREADING: return &thread_state.multithreading;
    case MT_MODE_FORWARD_GRAD: return &thread_state.forward_grad;
    case MT_MODE_VIEW_REPLAY: return &thread_state.view_replay;
    default: fail(ErrorKind::value, "there is no mode {}", int64_t(mode));
  }
}

}  // namespace

mt_status* mt_mode_get(int32_t mode, int32_t* out) {
  return guard([&] {
    require_not_null(out, "out");
    *out = *switch_of(mode);
  });
}
mt_status* mt_mode_set(int32_t mode, int32_t on) {
  return guard([&] {
    *switch_of(mode) = on != 0;
    if (mode != MT_MODE_INFERENCE) return;
    thread_state.grad_mode = on == 0;
    thread_state.forward_grad = on == 0;
  });
}

mt_status* mt_tensor_set_requires_grad(mt_tensor* tensor, int32_t on) {
  return guard([&] { set_requires_grad(tensor_of(tensor), on != 0); });
}

mt_status* mt_tensor_grad(const mt_tensor* tensor, mt_tensor** out) {
  return guard([&] {
    require_not_null(out, "out");
    const AutogradMeta* meta = meta_of(impl_of(tensor));
    *out = meta ? return_handle(Tensor(meta->grad)) : nullptr;
  });
}
mt_status* mt_tensor_set_grad(mt_tensor* tensor, mt_tensor* grad) {
  return guard([&] {
    Tensor t = tensor_of(tensor), fresh = optional_tensor_of(grad, "grad");
    if (!fresh.defined() && !t->autograd) return;
    std::swap(ensure_meta(t).grad, fresh);
  });
}

mt_status* mt_tensor_grad_dtype(const mt_tensor* tensor, int32_t* out) {
  return guard([&] {
    require_not_null(out, "out");
    const AutogradMeta* meta = meta_of(impl_of(tensor));
    *out = meta ? meta->grad_dtype : -1;
  });
}
mt_status* mt_tensor_set_grad_dtype(mt_tensor* tensor, int32_t dtype) {
  return guard([&] {
    Tensor t = tensor_of(tensor);
    if (dtype >= 0) dtype_of(dtype);
    check(dtype >= -2, ErrorKind::value, "there is no dtype {}", int64_t(dtype));
    check(is_leaf(t), "grad_dtype can only be set on leaf tensors.");
    ensure_meta(t).grad_dtype = int8_t(dtype);
    if (Ref<Node> node = existing_accumulator(t)) {
      node->inputs[0].dtype = dtype >= 0 ? Dtype(dtype) : t.dtype();
      node->inputs[0].any_dtype = dtype == -2;
    }
  });
}

mt_status* mt_tensor_grad_fn(mt_tensor* tensor, mt_node** out) {
  return guard([&] {
    require_not_null(out, "out");
    *out = return_handle(grad_fn_of(tensor_of(tensor)));
  });
}
mt_status* mt_tensor_gradient_edge(mt_tensor* tensor, mt_node** out, int64_t* output_nr) {
  return guard([&] {
    require_not_null(out, "out");
    Edge edge = gradient_edge(tensor_of(tensor));
    if (output_nr) *output_nr = edge.nr;
    *out = return_handle(std::move(edge.node));
  });
}
mt_status* mt_tensor_retain_grad(mt_tensor* tensor) {
  return guard([&] { retain_grad(tensor_of(tensor)); });
}
mt_status* mt_tensor_output_nr(const mt_tensor* tensor, int64_t* out) {
  return guard([&] {
    require_not_null(out, "out");
    const AutogradMeta* meta = meta_of(impl_of(tensor));
    *out = meta ? meta->output_nr : 0;
  });
}
mt_status* mt_tensor_base(const mt_tensor* tensor, mt_tensor** out) {
  return guard([&] {
    require_not_null(out, "out");
    const AutogradMeta* meta = meta_of(impl_of(tensor));
    *out = meta && meta->view ? return_handle(Tensor(meta->view->base)) : nullptr;
  });
}
mt_status* mt_tensor_detach_inplace(mt_tensor* tensor) {
  return guard([&] { detach_inplace(tensor_of(tensor)); });
}

mt_status* mt_tensor_add_hook(mt_tensor* tensor, mt_tensor_hook_fn hook, void* user, void (*destroy)(void* user), int64_t* id) {
  return guard([&] {
    require_not_null(reinterpret_cast<void*>(hook), "hook");
    require_not_null(id, "id");
    *id = add_tensor_hook(tensor_of(tensor), hook, user, destroy);
  });
}
mt_status* mt_tensor_add_nullable_hook(mt_tensor* tensor, mt_tensor_hook_fn hook, void* user, void (*destroy)(void* user), int64_t* id) {
  return guard([&] {
    require_not_null(reinterpret_cast<void*>(hook), "hook");
    require_not_null(id, "id");
    *id = add_nullable_tensor_hook(tensor_of(tensor), hook, user, destroy);
  });
}
mt_status* mt_tensor_remove_hook(mt_tensor* tensor, int64_t id) {
  return guard([&] { remove_tensor_hook(tensor_of(tensor), id); });
}
mt_status* mt_tensor_add_accumulate_hook(mt_tensor* tensor, mt_accumulate_hook_fn hook, void* user, void (*destroy)(void* user),
                                         int64_t* id) {
  return guard([&] {
    require_not_null(reinterpret_cast<void*>(hook), "hook");
    require_not_null(id, "id");
    *id = add_accumulate_hook(tensor_of(tensor), hook, user, destroy);
  });
}

mt_status* mt_tensor_traverse(const mt_tensor* tensor, int32_t (*visit)(void* user, void* argument), void* argument, int32_t* result) {
  return guard([&] {
    require_not_null(reinterpret_cast<void*>(visit), "visit");
    require_not_null(result, "result");
    Node::Reachable next;
    next.tensors.push_back(&impl_even_if_pending(tensor));  // a collector may call this at any time; it runs no foreign code
    *result = traverse_reachable(visit, argument, next);
  });
}
mt_status* mt_tensor_clear_autograd(mt_tensor* tensor) {
  return guard([&] { clear_autograd(Tensor::share(&impl_even_if_pending(tensor))); });
}

mt_status* mt_dual_level_enter(int64_t* level) {
  return guard([&] {
    require_not_null(level, "level");
    *level = enter_dual_level();
  });
}
mt_status* mt_dual_level_exit(int64_t level) {
  return guard([&] { exit_dual_level(level); });
}
