// Products of float8 matrices whose elements are multiples of scales: one per matrix, or one per row of the result's operands.
#pragma once

#include "rules/form/rule.h"

namespace mt {

// out = (scale_a a) (scale_b b) + bias, computed in float32 and converted to the dtype of `out`. The scales broadcast to their matrices.
void scaled_product(const Tensor& out, const Tensor& a, const Tensor& b, const Tensor& scale_a, const Tensor& scale_b, const Tensor& bias);
// Raises torch's description of the supported scales. An undefined scale prints as None.
[[noreturn]] void refuse_scales(const Tensor& a, const Tensor& b, const Tensor& scale_a, const Tensor& scale_b);
// The dtype of the result if the call names none: that of its out=, else the first matrix's.
inline Dtype default_dtype_of(const Call& call, const Tensor& a) {
  return call.op.form == Form::out ? Unbox<Tensor>::from(call.args[call.op.n_args - 1]).dtype() : a.dtype();
}
void check_scaled_bias(const Tensor& bias, int64_t columns, ErrorKind kind);

}  // namespace mt
