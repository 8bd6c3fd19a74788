// Softmax and its logarithm over one dimension, forward and backward.
#pragma once

#include "cpu/softmax/softmax.h"
#include "rules/reduction/rows.h"

namespace mt {

using cpu::SoftmaxKind;

// out = softmax(self) over dim (log_softmax for `logarithm`); self has any strides, out is contiguous.
void softmax_forward(SoftmaxKind kind, const Tensor& self, int64_t dim, const Tensor& out);
// The gradient of softmax, computed from its result.
void softmax_backward(SoftmaxKind kind, const Tensor& grad, const Tensor& output, int64_t dim, const Tensor& out);

}  // namespace mt
