// LAPACK's four ways to least squares behind one call.
#pragma once

#include "rules/linalg.h"

namespace mt {

enum class Driver : int8_t { gels, gelsy, gelsd, gelss };
// Overwrites `a` (m x n) and `b` (max(m, n) x columns), both stored by columns; `rank` and `values` where the driver
// gives them.
void least_squares(const Tensor& a, const Tensor& b, Driver driver, double rcond, const Tensor& rank, const Tensor& values,
                   const Tensor& info);
// The gradients of the matrix and of the right side, from those of the solution x and of the residuals (either may be
// undefined); formed in operators, so that they have gradients themselves.
Tensors<2> least_squares_gradient(const Tensor& gx, const Tensor& gr, Wanted wanted, const Tensor& a, const Tensor& b, const Tensor& x);

}  // namespace mt
