// Division that rounds, and remainders, with Python's and C's signs.
#pragma once

#include "rules/algebra.h"
#include "rules/pointwise.h"

namespace mt {

// The kernels of a call's two operands.
const PointwiseKernel* floor_division_kernel(const Tensor* operands);
const PointwiseKernel* trunc_division_kernel(const Tensor* operands);
const PointwiseKernel* remainder_kernel();
const PointwiseKernel* fmod_kernel();

// Integer division by zero is an error; torch finds it in the kernel.
inline void check_integer_divisor(const Tensor* operands, int n) {
  if (!is_integral(result_type(operands, n), true) || operands[1].is_meta()) return;
  const Tensor zero = op<"eq">(operands[1], 0);
  check(!*op<"any">(zero).data<bool>(), "ZeroDivisionError");
}

}  // namespace mt
