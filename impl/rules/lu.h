// LU factors of batches of matrices: in small loops of our own, or by LAPACK.
#pragma once

#include "rules/linalg.h"

namespace mt {

// Each matrix of `lu` (stored by columns) becomes its factors. `pivots` and `info` (int32, contiguous) are written.
void lu_factor_in_place(const Tensor& lu, const Tensor& pivots, const Tensor& info);
// b := op(P L U)^-1 b, with op 'N', 'T' (transposed) or 'C' (and conjugated). `b` is stored by columns; the batch of
// `lu` broadcasts to its.
void lu_solve_in_place(const Tensor& lu, const Tensor& pivots, const Tensor& b, char op);
// Factors become the inverse, if no matrix is singular by `info`; false, and nothing done, if one is.
bool lu_invert_in_place(const Tensor& lu, const Tensor& pivots, const Tensor& info);
// The determinant's sign by the row exchanges: 1 or -1.
int pivot_sign(const int* pivots, int64_t n);
// A's derivative from those of L and U, for A = P L U of any shape. Either gradient may be undefined.
Tensor lu_gradient(const Tensor& gl, const Tensor& gu, const Tensor& p, const Tensor& l, const Tensor& u);
// A^-H b (or b A^-H) by the factors of A, or by a new solve where the result must be differentiable.
Tensor solve_adjoint(const Tensor& a, const Tensor& lu, const Tensor& pivots, const Tensor& b, bool left);

}  // namespace mt
