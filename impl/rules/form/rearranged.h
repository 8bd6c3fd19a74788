// Permutes elements: shared by channel and pixel shuffles.
#pragma once

#include "rules/form/algebra.h"
#include "rules/form/rule.h"

namespace mt {

// The elements of `self`, viewed with `sizes` and permuted by `order`, as a result of `out_sizes` in the memory format that `self`
// suggests.
inline Tensor rearrange(const Tensor& self, IntList sizes, IntList order, IntList out_sizes) {
  const MemoryFormat format = self.suggested_memory_format();
  const Tensor out = format == MemoryFormat::contiguous
                         ? empty(out_sizes, self.dtype(), self.device())
                         : empty_strided(out_sizes, strides_of_format(out_sizes, format), self.dtype(), self.device());
  if (out.is_meta() || out.numel() == 0) return out;
  BelowAutograd guard;
  const Tensor seen = op<"permute">(op<"reshape">(self, sizes), order);
  if (auto strides = view_strides(out.sizes(), out.strides(), seen.sizes()))
    copy_into(alias(out, seen.sizes(), *strides, out.storage_offset()), seen);
  else
    copy_into(out, op<"reshape">(seen, out_sizes));
  return out;
}

}  // namespace mt
