// Calls hooks and uses the gradients that they return.
#include "autograd/hooks.h"

#include "autograd/node.h"
#include "core/exception.h"
#include "dispatch/value.h"

namespace mt {

int64_t new_hook_id() {
  static std::atomic<int64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

void run_tensor_hook(const TensorHook& hook, Tensor& grad) {
  if (hook->removed || !(grad.defined() || hook->takes_null)) return;
  mt_tensor* replacement = nullptr;
  rethrow_status(hook->fn(hook->user, handle(grad), &replacement));
  if (replacement) grad = Tensor::adopt(reinterpret_cast<TensorImpl*>(replacement));
}

void run_accumulate_hook(const AccumulateHook& hook, const Tensor& leaf) {
  if (!hook->removed) rethrow_status(hook->fn(hook->user, handle(leaf)));
}

void run_node_hook(const NodeHook& hook, Tensor* grads, int64_t n, const Tensor* incoming, int64_t n_incoming) {
  if (hook->removed) return;
  TensorArray replacement(n);
  int32_t replaced = 0;
  // Passes the array without conversion: Tensor and mt_tensor* have the same representation.
  rethrow_status(hook->fn(hook->user, reinterpret_cast<mt_tensor* const*>(grads), n, reinterpret_cast<mt_tensor* const*>(incoming),
                          n_incoming, reinterpret_cast<mt_tensor**>(replacement.data()), &replaced));
  if (!replaced) return;
  for (int64_t i = 0; i < n; ++i) grads[i] = std::move(replacement[i]);
}

}  // namespace mt
