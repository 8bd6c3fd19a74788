// The matrix product family: shapes, and calls of gemm, its only kernel.
#pragma once

#include "cpu/gemm/gemm.h"
#include "rules/form/rule.h"
#include "rules/pointwise/alpha.h"

namespace mt {

// out = alpha * a b + beta * bias, all of one dtype; matrices with any strides. `bias` is not read if it is undefined or beta is 0; it
// broadcasts to the result.
void matrix_product(const Tensor& out, const Tensor& a, const Tensor& b, const Tensor& bias, const Scalar& beta, const Scalar& alpha);
// As matrix_product, for a batch of matrices: all tensors are 3-d.
void batched_product(const Tensor& out, const Tensor& a, const Tensor& b, const Tensor& bias, const Scalar& beta, const Scalar& alpha);
// The inner product of two vectors, stored in a one-element tensor of their dtype; the first vector may be conjugated.
void inner_product(const Tensor& out, const Tensor& a, const Tensor& b);
void conjugate_inner_product(const Tensor& out, const Tensor& a, const Tensor& b);
// Raise torch's error messages if dtypes differ: of two factors, and of a product and the tensor to which it is added.
void check_product_dtypes(const Tensor& a, const Tensor& b);
void check_added_product_dtypes(const Tensor& self, const Tensor& a, const Tensor& b);
// Checks that `t` has dimension `dim`, with torch's error message.
void check_dimensions(const Tensor& t, int64_t dim);

// Gradients of a product's operands, each with its operand's strides, so that a leaf can adopt it without a copy.
// is_column_major: of a matrix, or of each matrix of a batch.
inline bool is_column_major(const TensorMeta& m) {
  const int64_t last = m.sizes.size() - 1;
  return m.strides[last - 1] == 1 && m.strides[last] == m.sizes[last - 1];
}
inline Tensor left_gradient(const Tensor& g, const TensorMeta& left, const Tensor& right) {
  if (is_column_major(left) && !g->sparse && !right->sparse) return op<"t">(op<"mm">(conj(right), op<"t">(g)));
  return op<"mm">(g, conj(op<"t">(right)));
}
inline Tensor right_gradient(const Tensor& g, const Tensor& left, const TensorMeta& right) {
  if (is_column_major(right) && !g->sparse && !left->sparse) return op<"t">(op<"mm">(op<"t">(g), conj(left)));
  return op<"mm">(conj(op<"t">(left)), g);
}

}  // namespace mt
