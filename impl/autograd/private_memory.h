// Whether a gradient's memory may be written over, since nobody else can see it.
#pragma once

#include "core/keys.h"
#include "core/tensor.h"

namespace mt {

// `references` are those that the caller knows of. A mode sees what is computed and may keep it, and a second derivative needs it.
inline bool is_private_memory(const Tensor& t, uint32_t references) {
  return !thread_state.grad_mode && !(thread_state.included & key_bit(Key::python)) && t->use_count() == references && t->storage &&
         t->storage->use_count() == 1 && !t->autograd && !t->conj && !t->neg && t.is_non_overlapping_and_dense();
}
// A formula's incoming gradient: the pass holds it, and so does the formula's argument.
inline bool is_private_gradient(const Tensor& g) { return is_private_memory(g, 2); }

}  // namespace mt
