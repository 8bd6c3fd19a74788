// The loss family: reductions by number (0 none, 1 mean, 2 sum), and the factors of their gradients.
#pragma once

#include "rules/form/algebra.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"

namespace mt {

inline Tensor reduce_loss(const Tensor& loss, int64_t reduction) {
  if (reduction == 1) return op<"mean">(loss);
  if (reduction == 2) return op<"sum">(loss);
  return loss;
}
// The factor 1 / numel in the gradient of a mean, otherwise 1.
inline double loss_scale(const Tensor& self, int64_t reduction) { return reduction == 1 ? 1.0 / double(self.numel()) : 1.0; }

}  // namespace mt
