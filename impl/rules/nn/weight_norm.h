// v * g / |v|, with norms over all dimensions but the first or the last; and its gradients.
#pragma once

#include "rules/form/rule.h"

namespace mt {

// The product and the norms, which are float if `v` has a half type. Reads no data on meta.
Tensors<2> weight_norm(const Tensor& v, const Tensor& g, int64_t dim);
// The gradients of `v` and `g`.
Tensors<2> weight_norm_backward(const Tensor& grad, const Tensor& v, const Tensor& g, const Tensor& norms, int64_t dim);

}  // namespace mt
