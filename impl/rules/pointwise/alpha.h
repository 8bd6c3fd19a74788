// The `alpha` of add, sub and of products that add: its checks and its part in gradients.
#pragma once

#include "rules/form/algebra.h"
#include "rules/pointwise/pointwise.h"

namespace mt {

inline bool is_one(const Value& alpha) { return alpha.tag == MT_TAG_INT && alpha.as.i == 1; }
// For addcmul and addcdiv: whether alpha is 1 and the result has a half type. Loops that read half types directly then apply, without
// float tiles.
inline bool are_halves_times_one(const Call& c) {
  const Tensor operands[] = {detail::tensor_of(c.args[0]), detail::tensor_of(c.args[1]), detail::tensor_of(c.args[2])};
  return is_one(c.args[3]) && is_half(result_type(operands, 3));
}

// Raises torch's errors for an alpha that the result's dtype cannot represent.
inline void check_alpha(Dtype result, const Scalar& alpha) {
  check(!alpha.is_bool() || result == Dtype::boolean, "Boolean alpha only supported for Boolean results.");
  check(is_differentiable(result) || alpha.is_integral() || alpha.is_bool(),
        "For integral input tensors, argument alpha must not be a floating point number.");
  check(is_complex(result) || !alpha.is_complex(), "For non-complex input tensors, argument alpha must not be a complex number.");
}
inline const PointwiseKernel* check_alpha_and_return(const Call& c, const PointwiseKernel* kernel) {
  const Tensor operands[] = {detail::tensor_of(c.args[0]), detail::tensor_of(c.args[1])};
  const Dtype result = result_type(operands, 2);
  const Scalar alpha = Scalar::of_value(c.args[2]);
  check_alpha(result, alpha);
  if (!(c.keys & key_bit(Key::meta))) alpha.check_fits(result);
  return kernel;
}
// Returns g * conj(alpha); without a product if alpha is 1.
inline Tensor multiply_by_conj(const Tensor& g, const Scalar& alpha) {
  if (alpha.equals(1)) return g;
  if (alpha.is_complex()) {
    Complex<double> c = alpha.to_complex();
    return op<"mul">(g, Scalar(Complex<double>(c.re, -c.im)));
  }
  return op<"mul">(g, alpha);
}

}  // namespace mt
