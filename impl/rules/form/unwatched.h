// Whether a composite may run as one CPU kernel, because nothing can observe its steps.
#pragma once

#include "core/tensor.h"
#include "dispatch/user.h"

namespace mt {

// Whether no mode, transform, profiler or pipeline is active, no step's kernel was replaced from outside, and the tensors (some may be
// undefined) are plain CPU tensors that need no gradient.
inline bool has_no_observers(std::initializer_list<const Tensor*> tensors) {
  if (thread_state.included || has_replaced_kernels()) return false;
  const KeySet unseen = key_bit(Key::cpu) | key_bit(Key::view_and_version) | (thread_state.grad_mode ? 0 : key_bit(Key::autograd));
  for (const Tensor* t : tensors)
    if (t->defined() && (*t)->keys & ~unseen) return false;
  return true;
}

}  // namespace mt
