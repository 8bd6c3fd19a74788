// The *_scatter family: copies a tensor and replaces the elements of a view of it.
#pragma once

#include "core/messages.h"
#include "rules/factory/factory.h"
#include "rules/form/checked.h"
#include "rules/pointwise/conversion.h"

namespace mt {

// A copy with its own storage and the same sizes, strides and offset, gaps included; a tensor that overlaps itself becomes dense.
inline Tensor clone_with_strides(const Tensor& self) {
  bool overlaps = false;
  for (int64_t d = 0; d < self.dim(); ++d) overlaps |= self.size(d) > 1 && self.stride(d) == 0;
  if (overlaps) {
    Tensor out = empty_as(self, self.dtype(), self.device(), std::nullopt);
    if (!self.is_meta()) copy_into(out, self);
    return out;
  }
  const int64_t n = needed_bytes(self.sizes(), self.strides(), self.storage_offset(), 1);
  Tensor whole = empty(IntList{n}, self.dtype(), self.device());
  if (!self.is_meta()) copy_into(whole, alias(self, {n}, {1}, 0));
  return alias(whole, self.sizes(), self.strides(), self.storage_offset());
}

// A meta tensor cannot replace elements on another device.
inline void refuse_meta_source(const Call& call) {
  check(Unbox<Tensor>::from(call.args[0]).is_meta() || !Unbox<Tensor>::from(call.args[1]).is_meta(), ErrorKind::not_implemented,
        messages::copy_out_of_meta_tensor);
}

// Returns a copy of `self` in which the elements of view(copy) are replaced by `src`.
template <class View>
Tensor with_view_replaced(const Tensor& self, const Tensor& src, View&& view) {
  BelowAutograd guard;
  Tensor out = clone_with_strides(self);
  Tensor place = view(out);
  check(place.sizes() == src.sizes(), "expected src to have a size equal to the slice of self. src size = {}, slice size = {}", src.sizes(),
        place.sizes());
  warn_of_discarded_parts(out.dtype(), src.dtype());
  if (!out.is_meta()) copy_into(place, src);
  return out;
}

}  // namespace mt
