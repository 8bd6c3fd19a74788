// LAPACK's four ways to least squares behind one call.
#pragma once

#include "rules/linalg.h"

namespace mt {

enum class Driver : int8_t { gels, gelsy, gelsd, gelss };
// Overwrites `a` (m x n) and `b` (max(m, n) x columns), both stored by columns; `rank` and `values` where the driver
// gives them.
void least_squares(const Tensor& a, const Tensor& b, Driver driver, double rcond, const Tensor& rank,
                   const Tensor& values, const Tensor& info);

}  // namespace mt
