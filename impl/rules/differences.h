// Estimates of a sampled function's derivative along one dimension: central differences inside, one-sided ones of order 1 or 2 at the ends.
#pragma once

#include "rules/algebra.h"

namespace mt {

// With a step that every interval has.
Tensor differences_along(const Tensor& self, int64_t d, const Scalar& step, int64_t edge_order);
// At given points, whose distances differ: the derivatives of the parabolas through three neighbours.
Tensor differences_along(const Tensor& self, int64_t d, const Tensor& points, int64_t edge_order);

}  // namespace mt
