// Rounding division, and remainders with Python's and C's signs.
#pragma once

#include "rules/form/algebra.h"
#include "rules/pointwise/pointwise.h"

namespace mt {

// The kernel for a call's two operands.
const PointwiseKernel* floor_division_kernel(const Tensor* operands);
const PointwiseKernel* trunc_division_kernel(const Tensor* operands);
const PointwiseKernel* remainder_kernel();
const PointwiseKernel* fmod_kernel();

// Integer division by zero is an error, which torch raises in the kernel.
inline void check_integer_divisor(const Call& c, const Tensor* operands) {
  if (!is_integral(result_type(operands, 2), false) || operands[0].is_meta() || operands[1].is_meta()) return;
  // Converts the divisor to the dtype of the computation first, since it may become 0 only there: 256 is 0 in uint8.
  const Dtype dtype = result_type(operands, 2);
  const Tensor divisor = operands[1].dtype() == dtype ? operands[1] : op<"_to_copy">(operands[1], dtype);
  const Tensor zero = op<"eq">(divisor, 0);
  if (!*op<"any">(zero).data<bool>()) return;
  Dims sizes, strides;
  pointwise_geometry(operands, 2, sizes, strides);  // raises for shapes that do not broadcast, which comes first
  const bool is_written = c.op.form != Form::inplace || (operands[0].dtype() != Dtype::boolean && operands[0].sizes() == IntList(sizes));
  check(!is_written || product(sizes) == 0, "ZeroDivisionError");
}

}  // namespace mt
