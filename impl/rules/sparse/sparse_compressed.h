// The compressed layouts: checks of their components, and conversions between layouts.
#pragma once

#include <string>

#include "rules/sparse/sparse.h"

namespace mt {

// The layout's name: "sparse_csr", as in names of operators, and "CSR".
const char* short_name(Layout layout);
const char* upper_name(Layout layout);

// Raises if components and sizes do not make a valid tensor of the layout, so that no index is out of range. With `in_order`, indices
// within a row (column) must ascend, as torch's validation requires.
void check_compressed(Layout layout, const Tensor& begins, const Tensor& plain, const Tensor& values, IntList size, bool in_order);
// The part of the check that reads the indices, which must be on the CPU; `major` rows (columns) of `minor` positions each.
void check_indices(bool rows, const Tensor& begins, const Tensor& plain, int64_t minor, int64_t nnz, bool in_order);

// A compressed tensor with checked components in the form that loops need.
struct Compressed {
  Layout layout;
  int64_t batch_dims, dense_dims;
  int64_t batch;  // number of matrices
  int64_t nnz;    // elements or blocks per matrix
  int64_t block[2] = {1, 1};
  int64_t rows, columns;  // counted in elements or blocks
  Tensor begins, plain;   // int64: batch x (rows or columns, plus 1), and batch x nnz
  Tensor values;          // batch * nnz x block (if there are blocks) x dense dimensions
  bool by_rows() const { return compresses_rows(layout); }
  int64_t major() const { return by_rows() ? rows : columns; }
};
Compressed open_compressed(const Tensor& self);
Tensor compressed_tensor(Layout layout, Tensor begins, Tensor plain, Tensor values, IntList sizes);

// Converts a tensor of any layout to a compressed one.
Tensor to_compressed(const Tensor& self, Layout to, std::optional<IntList> block, std::optional<int64_t> dense_dims);
// Converts a compressed tensor to sparse_coo.
Tensor compressed_to_coo(const Tensor& self);
// Adds alpha times the elements of a compressed tensor to a contiguous one of the same sizes.
void add_compressed(const Tensor& sum, const Tensor& self, const Scalar& alpha);
// Raises torch's error message if a tensor cannot be converted to the layout with these arguments. `who` is the operator's name in
// messages, without the name of the source layout.
void check_conversion(const std::string& who, const Tensor& self, Layout to, std::optional<IntList> block,
                      std::optional<int64_t> dense_dims);
// The bodies of to_sparse_csr and similar operators, and the call of _to_sparse_csr etc. for a tensor that does not have the layout yet.
Tensor request_layout_conversion(const Tensor& self, Layout to, std::optional<IntList> block, std::optional<int64_t> dense_dims);
Tensor call_conversion_to_layout(const Tensor& self, Layout to, std::optional<IntList> block, std::optional<int64_t> dense_dims);
// The gradient of these conversions: converts it back to the layout of `self`, with the blocks of `self`.
Tensor convert_gradient_to_layout_of(const Tensor& grad, const TensorMeta& self);

}  // namespace mt
