// The loss family: reductions by number (0 none, 1 mean, 2 sum), and what their gradients are scaled by.
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
// A mean's share of one element in the gradient of `self`.
inline double loss_scale(const Tensor& self, int64_t reduction) { return reduction == 1 ? 1.0 / double(self.numel()) : 1.0; }

}  // namespace mt
