// Sequences of different lengths, as a padded tensor or as packed rows, step by step: code for converting between the two.
#pragma once

#include "rules/form/algebra.h"

namespace mt {

inline Tensor slice_of(const Tensor& t, int64_t dim, int64_t begin, int64_t end) { return op<"slice.Tensor">(t, dim, begin, end, 1); }

// Refuses lengths and batch sizes that are not a 1-d int64 CPU tensor.
inline void check_lengths(const Tensor& t) {
  check(t.dim() == 1 && t.device().is_cpu() && t.dtype() == Dtype::int64,
        "'lengths' argument should be a 1D CPU int64 tensor, but got {}D {} {} tensor", t.dim(),
        t.device().is_cpu() ? "cpu" : name_of(t.device().type), t.dtype());
}

}  // namespace mt
