// Least squares by any of LAPACK's four drivers.
#pragma once

#include "rules/linalg/linalg.h"

namespace mt {

enum class Driver : int8_t { gels, gelsy, gelsd, gelss };
// Overwrites `a` (m x n) and `b` (max(m, n) x columns), both column-major; sets `rank` and `values` if the driver computes
// them.
void least_squares(const Tensor& a, const Tensor& b, Driver driver, double rcond, const Tensor& rank, const Tensor& values,
                   const Tensor& info);
// The gradients of the matrix and of the right-hand side, from those of the solution x and of the residuals (either may be undefined);
// made of operators, so that they can be differentiated.
Tensors<2> least_squares_gradient(const Tensor& gx, const Tensor& gr, Wanted wanted, const Tensor& a, const Tensor& b, const Tensor& x);

}  // namespace mt
