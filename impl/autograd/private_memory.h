// Whether a gradient's memory may be overwritten because nobody else references it.
#pragma once

#include "core/keys.h"
#include "core/tensor.h"

namespace mt {

// Whether nobody but the caller, who holds `references` references, sees this memory. It counts as shared if a mode or a subclass may keep
// results, or if grad mode records a second derivative.
inline bool is_private_memory(const Tensor& t, uint32_t references) {
  return !thread_state.grad_mode && !((thread_state.included | t->keys) & key_bit(Key::python)) && t->use_count() == references &&
         t->storage && t->storage->use_count() == 1 && !t->autograd && !t->conj && !t->neg && t.is_non_overlapping_and_dense();
}
// Whether a formula may overwrite its incoming gradient, which the pass and the formula's parameter reference.
inline bool is_private_gradient(const Tensor& g) { return is_private_memory(g, 2); }

}  // namespace mt
