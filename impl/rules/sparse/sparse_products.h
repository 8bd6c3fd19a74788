// Products of sparse matrices: rows of any layout, times a dense or a sparse matrix.
#pragma once

#include "rules/sparse/sparse.h"

namespace mt {

// A sparse matrix by rows: row i has the elements starts[i] to starts[i + 1] - 1, each a value and a column. `starts` and `columns` are
// contiguous int64 on the CPU and `values` is 1-d.
struct SparseRows {
  Tensor starts, columns, values;
  int64_t width = -1;  // columns are below it and starts are in order, both checked; -1 if unchecked
};
// The rows of a sparse_coo matrix without dense dimensions; elements keep their order within a row. Refuses indices out of range.
SparseRows sparse_rows_of(const Tensor& coordinates);

// out = beta * out + alpha * (rows @ dense) for dense matrices with any strides; `out` is not read if beta is 0. All dtypes must be equal.
// Refuses rows that are not in order or exceed the values, and columns outside of `dense`.
void add_sparse_product(const Tensor& out, const SparseRows& rows, const Tensor& dense, const Scalar& beta, const Scalar& alpha,
                        const char* kernel_name);

// For each row and each column of `right`, the greatest (or least) product of an element of the row and its factor in `right`, in the dtype
// of `best` (float32 or float64); 0 for rows without elements. If `arg` is defined, also the element's number: the first of equals (for NaN
// the last), or the number of elements for empty rows.
void extreme_products(const SparseRows& rows, const Tensor& right, bool greatest, const Tensor& best, const Tensor& arg);

// The product of two matrices by rows, the second one `width` columns wide: columns ascend and are unique.
SparseRows sparse_product(const SparseRows& left, const SparseRows& right, int64_t width, const char* kernel_name);

// The numbers of the non-empty rows of a coalesced sparse_coo matrix without dense dimensions, and alpha times these rows @ dense.
struct RowProducts {
  Tensor rows, products;
};
RowProducts products_of_rows(const Tensor& coordinates, const Tensor& dense, const Scalar& alpha, const char* kernel_name);

// The gradient of a sparse left factor, at its own indices.
Tensor sparse_left_gradient(const Tensor& g, const Tensor& left, const Tensor& right);

// The tensor that an in-place or out= form writes; undefined for the functional form. Refuses meta tensors, for which torch has no kernels.
Tensor target_or_undefined(const Call& call);
// addmm of a sparse_coo and a dense matrix, into `target` if it is defined. `self` expands to the result unless it is the target.
Tensor add_coordinates_product(const Tensor& target, const Tensor& self, const Tensor& mat1, const Tensor& mat2, const Scalar& beta,
                               const Scalar& alpha);
// mm of two matrices, at least one of them sparse_coo, into `target` if it is defined.
Tensor coordinates_product(const Tensor& target, const Tensor& mat1, const Tensor& mat2);

}  // namespace mt
