// Adds gradients to leaves: adopts a gradient that nobody else references, otherwise adds in place.
#include "autograd/accumulate.h"

#include <cstdint>

#include "autograd/engine.h"
#include "core/sparse.h"

namespace mt {
namespace {

// Whether a gradient has the strides that torch wants for a parameter's gradient.
bool has_expected_layout(const Tensor& grad, const Tensor& leaf) {
  if (!leaf.is_non_overlapping_and_dense()) return grad.is_contiguous();
  if (grad.dim() != leaf.dim()) return false;
  for (int64_t d = 0; d < grad.dim(); ++d)
    if (grad.size(d) != 1 && grad.stride(d) != leaf.stride(d)) return false;
  return true;
}

// Whether the indices and values of a sparse gradient are contiguous, as those of a copy would be.
bool has_contiguous_components(const Tensor& grad) {
  const SparseComponents& parts = *grad->sparse;
  return parts.indices.is_contiguous() && parts.values.is_contiguous();
}
// An alias of a sparse gradient. As in torch it is not marked coalesced, unless it has at most one element.
Tensor alias_components(const Tensor& grad) {
  const Tensor taken = alias(grad, false);
  if (grad.layout() == Layout::sparse_coo) taken->sparse->coalesced = nnz(grad) < 2;
  return taken;
}

// Whether a mode or the tensor's class intercepts its operators.
bool is_intercepted(const Tensor& grad) { return (thread_state.included | grad.keys()) & key_bit(Key::python); }

// Copies by operators if a mode or a class intercepts these, so that the copy has the gradient's class.
Tensor copy_in_expected_layout(const Tensor& grad, const Tensor& leaf) {
  if (!leaf.is_non_overlapping_and_dense()) return op<"clone">(grad, MemoryFormat::contiguous);
  if (thread_state.grad_mode || is_intercepted(grad)) return op<"copy_">(op<"new_empty_strided">(grad, leaf.sizes(), leaf.strides()), grad);
  return op<"copy_">(empty_strided(leaf.sizes(), leaf.strides(), grad.dtype(), grad.device()), grad);
}

}  // namespace

AccumulateGrad::AccumulateGrad(Tensor leaf, Ref<WeakNode> place, char*)
    : Node("AccumulateGrad", UINT64_MAX), leaf_(std::move(leaf)), place_(std::move(place)) {}

AccumulateGrad::~AccumulateGrad() {
  std::lock_guard guard(place_->lock);
  if (place_->node == this) place_->node = nullptr;
}

void AccumulateGrad::run(Tensor* grads, Tensor*) {
  Tensor grad = std::move(grads[0]);
  if (!grad.defined() || !requires_grad(leaf_)) return;
  AutogradMeta& meta = *meta_of(leaf_);
  {
    std::lock_guard guard(mutex_);
    const bool recording = thread_state.grad_mode;
    if (!meta.grad.defined()) {
      const bool is_sole_owner = !recording && grad->use_count() == 1;
      if (is_sparse(grad)) {
        meta.grad = is_sole_owner && has_contiguous_components(grad) ? alias_components(grad) : op<"clone">(grad);
      } else if (is_sole_owner && has_expected_layout(grad, leaf_)) {
        // A tensor without autograd state needs no detached alias, unless a mode or its class intercepts the call.
        meta.grad = is_intercepted(grad) || grad->autograd || grad->conj || grad->neg ? op<"detach">(grad) : std::move(grad);
      } else {
        meta.grad = copy_in_expected_layout(grad, leaf_);
      }
    } else if (is_sparse(meta.grad) && !is_sparse(grad)) {
      meta.grad = op<"add">(grad, meta.grad);
    } else if (!recording) {
      op<"add_">(meta.grad, grad);
    } else {
      meta.grad = op<"add">(meta.grad, grad);
    }
  }
  if (!meta.hooks) return;
  std::vector<AccumulateHook> hooks;
  {
    std::lock_guard guard(meta.lock);
    hooks = meta.hooks->on_accumulated;
  }
  for (const AccumulateHook& hook : hooks) run_accumulate_hook(hook, leaf_);
}

Ref<Node> make_accumulator(const Tensor& leaf, Ref<WeakNode> place) {
  auto node = NodeMaker::make<AccumulateGrad>(0, 1, 0, leaf, std::move(place));
  node->describe_input(0, leaf);
  const int8_t dtype = ensure_meta(leaf).grad_dtype;
  if (dtype >= 0) node->inputs[0].dtype = Dtype(dtype);
  node->inputs[0].any_dtype = dtype == -2;
  return Ref<Node>::adopt(node.detach());
}

}  // namespace mt
