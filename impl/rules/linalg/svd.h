// Singular values by LAPACK, and their derivative.
#pragma once

#include "rules/linalg/linalg.h"

namespace mt {

// job 'A': all vectors, 'S': the first min(m, n), 'N': none (U and Vh are not touched). Matrices are column-major; `a` has
// elements.
void singular_values(const Tensor& a, char job, const Tensor& u, const Tensor& s, const Tensor& vh, const Tensor& info);
Tensor svd_gradient(const Tensor& gu, const Tensor& gs, const Tensor& gvh, const Tensor& u, const Tensor& s, const Tensor& vh, bool full);
// Raises if the loss of a complex problem depends on the vectors' free phases: `diagonal` must be real.
void check_phases(const Tensor& diagonal, const char* text);

}  // namespace mt
