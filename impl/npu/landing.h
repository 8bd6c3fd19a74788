// Copies elements by copies of bytes: converts tensors to one dense layout first, and distributes the elements afterwards.
#pragma once

#include "core/tensor.h"
#include "rules/form/rule.h"

namespace mt::npu {

inline bool same_layout(const Tensor& a, const Tensor& b) {
  return a.sizes() == b.sizes() && a.strides() == b.strides() && a.dtype() == b.dtype() && a.is_non_overlapping_and_dense();
}
inline int64_t bytes_of(const Tensor& t) { return t.numel() * t.itemsize(); }

// Converts `source` to the layout and dtype of `target`, on the source's device.
inline Tensor match_layout(const Tensor& source, const Tensor& target) {
  if (same_layout(source, target)) return source;
  Tensor dense = target.is_non_overlapping_and_dense() ? empty_strided(target.sizes(), target.strides(), target.dtype(), source.device())
                                                       : empty(target.sizes(), target.dtype(), source.device());
  copy_into(dense, source);
  return dense;
}

// Runs move(landing, ready) on two tensors of one dense layout, one on each side, then copies `landing` to `target`.
template <class Move>
void copy_through_staging(const Tensor& target, const Tensor& source, Move&& move) {
  const Tensor ready = match_layout(source, target);
  const Tensor landing = same_layout(ready, target) ? target : empty(target.sizes(), target.dtype(), target.device());
  move(landing, ready);
  if (landing.get() != target.get()) copy_into(target, landing);
}

}  // namespace mt::npu
