// Shared by the pointwise rule and the engine that runs its loops.
#pragma once

#include "rules/pointwise/pointwise_rows.h"

namespace mt {

inline constexpr int max_pointwise_inputs = 6;
// The length of the buffer that holds a repeated element if all other operands are used in place: a longer one takes longer to fill than it
// saves in calls of the loop.
inline constexpr int64_t repeated = 256;

// The loop for this processor; nullptr if the kernel has none for the dtype.
inline PointwiseLoop loop_for(const PointwiseKernel& kernel, Dtype loop_dtype) {
  static const int level = int(cpu::cpu_capability());
  if (is_half(loop_dtype)) return kernel.halves[loop_dtype == Dtype::bfloat16][level];
  int slot = loop_slot_of(loop_dtype);
  return slot < 0 ? nullptr : kernel.loops[slot][level];
}

// The loop over rows of the first operand (`place` 0) or of the second (`place` 1); nullptr if the kernel has none.
inline PointwiseRowLoop row_loop_for(const PointwiseKernel& kernel, int place, Dtype compute) {
  static const bool has_vectors = cpu::cpu_capability() >= cpu::Capability::avx2;
  const int slot = row_loop_slot(compute);
  return has_vectors && slot >= 0 ? kernel.rows[place][slot] : nullptr;
}

}  // namespace mt
