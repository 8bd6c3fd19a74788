// Eigenvalues and eigenvectors of general square matrices, always as complex numbers.
#pragma once

#include "rules/linalg/linalg.h"

namespace mt {

// complex64 or complex128 for a matrix of `dtype`; raises torch's error message for other dtypes.
Dtype eigenvalue_dtype(Dtype dtype);
// Fills `values` and, if defined, `vectors` (column-major); error messages begin with `name`.
void eigen(const Tensor& a, const Tensor& values, const Tensor& vectors, const char* name);

}  // namespace mt
