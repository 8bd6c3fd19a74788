// What item() and `.data = x` check, and what they tell other layers.
#include "layers/tensor_access.h"

#include "autograd/meta.h"
#include "core/exception.h"
#include "core/messages.h"
#include "core/sparse.h"
#include "dispatch/invoke.h"
#include "layers/profiler.h"
#include "rules/pointwise/conversion.h"
#include "rules/sparse/sparse.h"
#include "vmap/batched.h"

namespace mt {

Scalar read_item(const Tensor& t) {
  check(t.numel() == 1, messages::elements_cannot_be_scalar, t.numel());
  check(!as_batch(t),
        "vmap: It looks like you're calling .item() on a Tensor. We don't support vmap over calling .item() on a Tensor, please try to "
        "rewrite what you're doing with other operations. If error is occurring somewhere inside PyTorch internals, please file a bug "
        "report.");
  const Value argument = box(t);
  OpenRange call, reading;
  if (is_profiling()) {
    call = begin_call("aten::item", &argument, 1);
    reading = begin_call("aten::_local_scalar_dense", &argument, 1);
  }
  // Modes see item() of a tensor, but not that of a 0-dim tensor which wraps a number that the program passed.
  const bool is_watched = !t->wrapped_number && (thread_state.included | t.keys()) & ~thread_state.excluded & key_bit(Key::python);
  return is_watched || is_sparse(t) ? op<"_local_scalar_dense", Scalar>(t) : read_single_element(t);
}

void set_data(TensorImpl& t, const TensorImpl& s) {
  if (&t == &s) return;
  constexpr const char* text = "mutating directly with `.data` inside functorch transform is not allowed.";
  check(!as_batch(t) && !as_batch(s), "{}", text);
  check(!requires_grad(t) || is_differentiable(s.dtype),
        "data set to a tensor that requires gradients must be floating point or complex dtype");
  constexpr KeySet meta = key_bit(Key::meta);
  check(bool(t.sparse) == bool(s.sparse) && (!t.sparse || t.sparse->layout == s.sparse->layout) && (t.keys & meta) == (s.keys & meta),
        "Attempted to call `variable.set_data(tensor)`, but `variable` and `tensor` have incompatible tensor type.");
  Dims sizes(s.sizes), strides(s.strides);  // may allocate, so it precedes all changes
  constexpr KeySet of_data = backend_keys | key_bit(Key::conjugate) | key_bit(Key::negative);
  if (t.dtype != s.dtype || !(t.device == s.device)) forget_accumulator(t);
  auto* parts = s.sparse ? new SparseComponents(*s.sparse) : nullptr;
  delete std::exchange(t.sparse, parts);
  t.storage = s.storage;
  t.dtype = s.dtype;
  t.device = s.device;
  t.conj = s.conj;
  t.neg = s.neg;
  t.keys = (t.keys & ~of_data) | (s.keys & of_data);
  t.sizes = std::move(sizes);
  t.strides = std::move(strides);
  t.storage_offset = s.storage_offset;
  t.numel = s.numel;
}

}  // namespace mt
