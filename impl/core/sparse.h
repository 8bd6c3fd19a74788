// The components of a sparse tensor: index tensors and a values tensor instead of its own memory.
#pragma once

#include "core/tensor.h"

namespace mt {

// sparse_coo: `indices` is int64 of shape (sparse dimensions, elements); `values` is (elements, dense dimensions...). Compressed layouts
// (sparse_csr, csc, bsr, bsc), after batch dimensions: `indices` holds where each row (or column, or row or column of blocks) starts and
// ends, `plain` the other index of each element or block, and `values` has a block's two dimensions followed by the dense dimensions.
struct SparseComponents {
  Layout layout = Layout::sparse_coo;
  Tensor indices, plain, values;
  bool coalesced = false;  // sparse_coo: indices are unique and sorted
};

inline bool is_sparse(const Tensor& t) { return t->sparse != nullptr; }
inline bool is_compressed(Layout layout) { return layout != Layout::strided && layout != Layout::sparse_coo; }
// compresses_rows: whether rows are compressed (sparse_csr, sparse_bsr); has_blocks: whether values are blocks.
inline bool compresses_rows(Layout layout) { return layout == Layout::sparse_csr || layout == Layout::sparse_bsr; }
inline bool has_blocks(Layout layout) { return layout == Layout::sparse_bsr || layout == Layout::sparse_bsc; }

// Makes a sparse tensor from its components, unchecked.
Tensor make_sparse(IntList sizes, SparseComponents parts);
// Replaces the sizes and components of a sparse tensor; its layout, dtype and device stay.
void set_sparse(const Tensor& target, IntList sizes, SparseComponents parts);

inline const SparseComponents& components_of(const Tensor& t) { return *t->sparse; }
// The block size as an operator's argument; nullopt if values are single elements.
inline std::optional<IntList> block_of(const Tensor& t) {
  const SparseComponents& parts = components_of(t);
  if (!has_blocks(parts.layout) || parts.values.dim() < parts.plain.dim() + 2) return std::nullopt;
  return IntList(parts.values.sizes().begin() + parts.plain.dim(), 2);
}

// These three only accept sparse_coo tensors.
inline int64_t sparse_dim(const Tensor& t) { return components_of(t).indices.size(0); }
inline int64_t dense_dim(const Tensor& t) { return components_of(t).values.dim() - 1; }
inline int64_t nnz(const Tensor& t) { return components_of(t).indices.size(1); }

}  // namespace mt
