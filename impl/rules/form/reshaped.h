// Views of all elements of a tensor in their order: in other sizes, or read as another dtype.
#pragma once

#include "core/tensor.h"

namespace mt {

// alias(), without its check that the storage still holds the elements: like torch, `view` passes on a tensor whose storage was resized.
inline Tensor reshaped(const Tensor& self, IntList sizes, IntList strides, int64_t storage_offset) {
  if (!is_shrunk(*self->storage)) [[likely]]
    return alias(self, sizes, strides, storage_offset);
  Tensor out = alias(self, true);
  out->wrapped_number = false;
  set_geometry(*out, sizes, strides, storage_offset);
  return out;
}

}  // namespace mt
