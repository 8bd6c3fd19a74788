// The loss family: reductions by number (0 none, 1 mean, 2 sum).
#pragma once

#include "rules/algebra.h"
#include "rules/pointwise.h"
#include "rules/scalar_math.h"

namespace mt {

inline Tensor reduce_loss(const Tensor& loss, int64_t reduction) {
  if (reduction == 1) return op<"mean">(loss);
  if (reduction == 2) return op<"sum">(loss);
  return loss;
}

}  // namespace mt
