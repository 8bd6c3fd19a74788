// Adds gradients to leaves: takes a gradient over where nobody else has it, adds in place otherwise.
#include "autograd/accumulate.h"

#include <cstdint>

#include "autograd/engine.h"
#include "core/sparse.h"

namespace mt {
namespace {

// Whether a gradient lies in memory as torch wants a parameter's gradient to lie.
bool has_expected_layout(const Tensor& grad, const Tensor& leaf) {
  if (!leaf.is_non_overlapping_and_dense()) return grad.is_contiguous();
  if (grad.dim() != leaf.dim()) return false;
  for (int64_t d = 0; d < grad.dim(); ++d)
    if (grad.size(d) != 1 && grad.stride(d) != leaf.stride(d)) return false;
  return true;
}

// Whether the parts of a sparse gradient lie as those of a copy would.
bool is_plain(const Tensor& grad) {
  const SparseComponents& parts = *grad->sparse;
  return parts.indices.is_contiguous() && parts.values.is_contiguous();
}
// A gradient of the same parts; of coordinates it is not known any more whether they are in order.
Tensor taken_over(const Tensor& grad) {
  const Tensor taken = alias(grad, false);
  if (grad.layout() == Layout::sparse_coo) taken->sparse->coalesced = nnz(grad) < 2;
  return taken;
}

Tensor copy_in_expected_layout(const Tensor& grad, const Tensor& leaf) {
  if (!leaf.is_non_overlapping_and_dense()) return op<"clone">(grad, MemoryFormat::contiguous);
  if (thread_state.grad_mode) return op<"copy_">(op<"new_empty_strided">(grad, leaf.sizes(), leaf.strides()), grad);
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
      const bool alone = !recording && grad->use_count() == 1;
      if (is_sparse(grad)) {
        meta.grad = alone && is_plain(grad) ? taken_over(grad) : op<"clone">(grad);
      } else if (alone && has_expected_layout(grad, leaf_)) {
        // A tensor without autograd state is as good as its detached alias, but for modes, which see every call.
        const bool watched = thread_state.included & key_bit(Key::python);
        meta.grad = watched || grad->autograd || grad->conj || grad->neg ? op<"detach">(grad) : std::move(grad);
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
