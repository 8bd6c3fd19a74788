// Products of sparse matrices: rows of any layout, times a dense matrix or a sparse one.
#pragma once

#include "rules/sparse.h"

namespace mt {

// A sparse matrix by rows: row i has the elements starts[i] to starts[i + 1], each a value in a column. `starts` and `columns` are
// contiguous int64 on the CPU and `values` has one dimension.
struct SparseRows {
  Tensor starts, columns, values;
  int64_t width = -1;  // the columns are known to lie below it and the starts to be in order; -1 where nobody has looked
};
// Of coordinates of two sparse dimensions and no dense one; within a row elements keep their order. Refuses indices outside the sizes.
SparseRows rows_of(const Tensor& coordinates);

// out = beta * out + alpha * (rows @ dense), the matrices dense in any layout; `out` is not read where beta is 0. The dtypes must be the
// same. Refuses rows that are not in order or reach outside of the values, and columns outside of `dense`.
void add_sparse_product(const Tensor& out, const SparseRows& rows, const Tensor& dense, const Scalar& beta, const Scalar& alpha,
                        const char* kernel_name);

// The greatest (least) products of each row's elements and their rows of `right`, float32 or float64 as `best` is, 0 of rows without
// elements; and where `arg` is defined the elements that they come from: the first of equal ones, the last NaN before all, or their number.
void extreme_products(const SparseRows& rows, const Tensor& right, bool greatest, const Tensor& best, const Tensor& arg);

// The product of two matrices by rows, the second one `width` columns wide: columns ascend, and each is there once.
SparseRows sparse_product(const SparseRows& left, const SparseRows& right, int64_t width, const char* kernel_name);

// The rows of coordinates (a matrix without dense dimensions, coalesced) that have elements, and alpha times these rows @ dense.
struct RowProducts {
  Tensor rows, products;
};
RowProducts products_of_rows(const Tensor& coordinates, const Tensor& dense, const Scalar& alpha, const char* kernel_name);

// The gradient of a sparse factor on the left, at its own places.
Tensor sparse_left_gradient(const Tensor& g, const Tensor& left, const Tensor& right);

// The tensor that an in-place or out= form writes; undefined of a functional one. Refuses meta tensors, as torch has no kernels for them.
Tensor target_of(const Call& call);
// addmm of coordinates and a dense matrix, into `target` where it is defined. `self` expands to the result unless it is the target.
Tensor add_coordinates_product(const Tensor& target, const Tensor& self, const Tensor& mat1, const Tensor& mat2, const Scalar& beta,
                               const Scalar& alpha);
// mm of two matrices, at least one of them of coordinates, likewise.
Tensor coordinates_product(const Tensor& target, const Tensor& mat1, const Tensor& mat2);

}  // namespace mt
