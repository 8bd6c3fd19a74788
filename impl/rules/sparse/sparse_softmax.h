// softmax and log_softmax of sparse_coo tensors: over the stored elements of a line.
#pragma once

#include "rules/sparse/sparse.h"

namespace mt {

Tensor sparse_softmax(const Tensor& self, int64_t dim, bool half_to_float, bool log);
Tensor sparse_softmax_backward(const Tensor& grad, const Tensor& output, int64_t dim, const Tensor& self, bool log);

}  // namespace mt
