// What a sparse tensor is made of: tensors for the places of its elements and for their values, in place of memory of its own.
#pragma once

#include "core/tensor.h"

namespace mt {

// sparse_coo: `indices` is int64, sparse dimensions x elements, and `values` elements x the dense dimensions.
// sparse_csr and its kin, after dimensions of a batch: `indices` says where each row (column, row of blocks, column of blocks) begins
// and ends, `plain` is the other index of each element or block, `values` has a block's two dimensions and then the dense ones.
struct SparseComponents {
  Layout layout = Layout::sparse_coo;
  Tensor indices, plain, values;
  bool coalesced = false;  // of sparse_coo: each place once, in the order of the dimensions
};

inline bool is_sparse(const Tensor& t) { return t->sparse != nullptr; }
inline bool is_compressed(Layout layout) { return layout != Layout::strided && layout != Layout::sparse_coo; }
// Whether rows are compressed (sparse_csr, sparse_bsr), and whether values are blocks.
inline bool compresses_rows(Layout layout) { return layout == Layout::sparse_csr || layout == Layout::sparse_bsr; }
inline bool has_blocks(Layout layout) { return layout == Layout::sparse_bsr || layout == Layout::sparse_bsc; }

// A sparse tensor of these parts; nothing is checked.
Tensor make_sparse(IntList sizes, SparseComponents parts);
// Parts and sizes of `from`, which is sparse as `target` is, become those of `target`; its dtype and device stay.
void set_sparse(const Tensor& target, IntList sizes, SparseComponents parts);

inline const SparseComponents& components_of(const Tensor& t) { return *t->sparse; }
// The sizes of a block, as an argument of operators; nothing where values are elements.
inline std::optional<IntList> block_of(const Tensor& t) {
  const SparseComponents& parts = components_of(t);
  if (!has_blocks(parts.layout) || parts.values.dim() < parts.plain.dim() + 2) return std::nullopt;
  return IntList(parts.values.sizes().begin() + parts.plain.dim(), 2);
}

// Of sparse_coo.
inline int64_t sparse_dim(const Tensor& t) { return components_of(t).indices.size(0); }
inline int64_t dense_dim(const Tensor& t) { return components_of(t).values.dim() - 1; }
inline int64_t nnz(const Tensor& t) { return components_of(t).indices.size(1); }

}  // namespace mt
