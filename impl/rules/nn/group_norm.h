// Group normalisation's kernels, and its gradients in operators.
#pragma once

#include "rules/reduction/rows.h"

namespace mt {

struct Groups {
  int64_t samples, channels, inner, groups;
  int64_t per_group() const { return channels / groups; }
};

void group_norm_forward(const Tensor& x, const Tensor& weight, const Tensor& bias, const Groups& shape, double eps, const Tensor& out,
                        const Tensor& mean, const Tensor& rstd);
// Computes the gradients of (input, weight, bias) into those tensors of the results that are defined.
void group_norm_backward(const Tensor& grad, const Tensor& x, const Tensor& mean, const Tensor& rstd, const Tensor& weight,
                         const Groups& shape, const Tensors<3>& result);
// The gradients as operators, for higher derivatives; the statistics may have gradients too.
Tensors<3> group_norm_gradients(const Tensor& g, const Tensor& grad_mean, const Tensor& grad_rstd, const Tensor& x, const Tensor& weight,
                                const Groups& shape, double eps, bool want_bias);

}  // namespace mt
