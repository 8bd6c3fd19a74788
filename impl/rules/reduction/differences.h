// Derivatives of sampled functions along one dimension: central differences inside, one-sided ones of order 1 or 2 at the edges.
#pragma once

#include "rules/form/algebra.h"

namespace mt {

// With uniform spacing.
Tensor differences_along(const Tensor& self, int64_t d, const Scalar& step, int64_t edge_order);
// At points with varying distances: the derivatives of parabolas through three neighbours.
Tensor differences_along(const Tensor& self, int64_t d, const Tensor& points, int64_t edge_order);

}  // namespace mt
