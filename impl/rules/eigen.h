// Eigenvalues and vectors of any square matrix, which are complex even where they are real.
#pragma once

#include "rules/linalg.h"

namespace mt {

// complex64 or complex128 for a matrix of `dtype`; torch's refusal of the others.
Dtype eigenvalue_dtype(Dtype dtype);
// Fills `values` and, where it is defined, `vectors` (column-major); `name` begins the errors.
void eigen(const Tensor& a, const Tensor& values, const Tensor& vectors, const char* name);

}  // namespace mt
