// The compressed layouts: their parts checked before anybody follows them, and the ways from one layout to another.
#pragma once

#include <string>

#include "rules/sparse.h"

namespace mt {

// "sparse_csr", as names of operators have it, and "CSR".
const char* short_name(Layout layout);
const char* upper_name(Layout layout);

// Raises where parts and sizes do not make a tensor of the layout: an index never leads outside. Where `in_order` is asked for, indices of
// a row (column) must also ascend, as torch's validation wants it.
void check_compressed(Layout layout, const Tensor& begins, const Tensor& plain, const Tensor& values, IntList size, bool in_order);
// The part of it that looks at the indices, which lie on the CPU; `major` rows (columns) of `minor` places each.
void check_indices(bool rows, const Tensor& begins, const Tensor& plain, int64_t minor, int64_t nnz, bool in_order);

// A compressed tensor with its parts checked and laid out for loops.
struct Compressed {
  Layout layout;
  int64_t batch_dims, dense_dims;
  int64_t batch;  // matrices
  int64_t nnz;    // elements or blocks of each
  int64_t block[2] = {1, 1};
  int64_t rows, columns;  // of elements or blocks
  Tensor begins, plain;   // int64: batch x (rows or columns, and 1), batch x nnz
  Tensor values;          // batch * nnz x block (if there are any) x dense dimensions
  bool by_rows() const { return compresses_rows(layout); }
  int64_t major() const { return by_rows() ? rows : columns; }
};
Compressed open_compressed(const Tensor& self);
Tensor compressed_tensor(Layout layout, Tensor begins, Tensor plain, Tensor values, IntList sizes);

// A tensor of any layout in a compressed one. `who` is what texts call the operator, without the name of the layout it comes from.
Tensor to_compressed(const Tensor& self, Layout to, std::optional<IntList> block, std::optional<int64_t> dense_dims);
// Coordinates for what is stored.
Tensor compressed_to_coo(const Tensor& self);
// Adds the elements of a compressed tensor, times alpha, to a contiguous one of its sizes.
void add_compressed(const Tensor& sum, const Tensor& self, const Scalar& alpha);
// Raises where a tensor cannot be had in the layout with these arguments, in the words of torch.
void check_conversion(const std::string& who, const Tensor& self, Layout to, std::optional<IntList> block,
                      std::optional<int64_t> dense_dims);
// to_sparse_csr and its kin, and what each does for a tensor that is not in the layout yet.
Tensor ask_for_layout(const Tensor& self, Layout to, std::optional<IntList> block, std::optional<int64_t> dense_dims);
Tensor call_for_layout(const Tensor& self, Layout to, std::optional<IntList> block, std::optional<int64_t> dense_dims);
// Their gradient: in the layout that `self` had, with its blocks.
Tensor in_layout_of(const Tensor& grad, const TensorMeta& self);

}  // namespace mt
