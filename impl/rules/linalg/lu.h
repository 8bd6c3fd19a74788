// LU factorisation of batches of matrices: by small loops of our own, or by LAPACK.
#pragma once

#include "rules/linalg/linalg.h"

namespace mt {

// Replaces each matrix of `lu` (column-major) by its factors. Writes `pivots` and `info` (int32, contiguous).
void lu_factor_in_place(const Tensor& lu, const Tensor& pivots, const Tensor& info);
// b := op(P L U)^-1 b, with op 'N', 'T' (transposed) or 'C' (conjugate transposed). `b` is column-major; the batch of `lu` broadcasts to
// that of `b`.
void lu_solve_in_place(const Tensor& lu, const Tensor& pivots, const Tensor& b, char op);
// Replaces the factors by the inverse. If `info` reports a singular matrix, does nothing and returns false.
bool lu_invert_in_place(const Tensor& lu, const Tensor& pivots, const Tensor& info);
// The sign of the row permutation: 1 or -1.
int pivot_sign(const int* pivots, int64_t n);
// A's gradient from those of L and U, for A = P L U of any shape. Either gradient may be undefined.
Tensor lu_gradient(const Tensor& gl, const Tensor& gu, const Tensor& p, const Tensor& l, const Tensor& u);
// A^-H b (or b A^-H) by the factors of A, or by a new solve if the result must be differentiable.
Tensor solve_adjoint(const Tensor& a, const Tensor& lu, const Tensor& pivots, const Tensor& b, bool left);

}  // namespace mt
