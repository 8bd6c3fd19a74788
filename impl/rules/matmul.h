// The matrix product family: shapes, and the way to the one gemm interface.
#pragma once

#include "cpu/gemm.h"
#include "rules/alpha.h"
#include "rules/rule.h"

namespace mt {

// out = alpha * a b + beta * (bias), all of one dtype; matrices in any layout. `bias` undefined or beta 0: not read.
// `bias` broadcasts to the result.
void matrix_product(const Tensor& out, const Tensor& a, const Tensor& b, const Tensor& bias, const Scalar& beta, const Scalar& alpha);
// The same for a batch of matrices: three dimensions each.
void batched_product(const Tensor& out, const Tensor& a, const Tensor& b, const Tensor& bias, const Scalar& beta, const Scalar& alpha);
// The sum of the products of two vectors into a tensor of one element, of their dtype; with the first one's conjugate.
void inner_product(const Tensor& out, const Tensor& a, const Tensor& b);
void conjugate_inner_product(const Tensor& out, const Tensor& a, const Tensor& b);
// torch's texts where dtypes differ: of two factors, and of a product that is added to a tensor.
void check_product_dtypes(const Tensor& a, const Tensor& b);
void check_added_product_dtypes(const Tensor& self, const Tensor& a, const Tensor& b);
// Whether a tensor has a dimension at all, in torch's words.
void check_dimensions(const Tensor& t, int64_t dim);

// Gradients of a product's operands, each laid out as its operand, so that a leaf can take it as it is.
inline bool is_column_major(const TensorMeta& m) { return m.strides[0] == 1 && m.strides[1] == m.sizes[0]; }
inline Tensor left_gradient(const Tensor& g, const TensorMeta& left, const Tensor& right) {
  if (is_column_major(left) && !g->sparse && !right->sparse) return op<"t">(op<"mm">(conj(right), op<"t">(g)));
  return op<"mm">(g, conj(op<"t">(right)));
}
inline Tensor right_gradient(const Tensor& g, const Tensor& left, const TensorMeta& right) {
  if (is_column_major(right) && !g->sparse && !left->sparse) return op<"t">(op<"mm">(op<"t">(g), conj(left)));
  return op<"mm">(conj(op<"t">(left)), g);
}

}  // namespace mt
