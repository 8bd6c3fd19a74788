// Gives sparse_coo tensors other sizes or another tensor's components.
#include "core/messages.h"
#include "rules/sparse/sparse.h"

namespace mt {
namespace {

constexpr const char* how_to_resize =
    " on a non-empty sparse tensor is not supported.\nYou could try the following options:\n1. If you need an empty sparse tensor of this "
    "size, call `x = torch.sparse_coo_tensor(size)`.\n2. If you need to resize this tensor, you have the following options:\n    1. For "
    "both sparse and dense dimensions, keep the number of them constant and the size of them non-shrinking, and then try the same call "
    "again.\n    2. Or, create a new sparse tensor with the correct indices and values from this sparse tensor.";

void check_dim_count_kept(const char* dim_kind, int64_t old_count, int64_t new_count) {
  check(old_count == new_count, "changing the number of {} dimensions (from {} to {}){}", dim_kind, old_count, new_count, how_to_resize);
}
void check_sizes_not_shrunk(const char* dim_kind, IntList old_sizes, IntList new_sizes) {
  for (int64_t d = 0; d < old_sizes.size(); ++d)
    check(old_sizes[d] <= new_sizes[d], "shrinking the size of {} dimensions (from {} to {}){}", dim_kind, old_sizes, new_sizes,
          how_to_resize);
}

}  // namespace

void resize_sparse(const Tensor& self, IntList sizes, int64_t sparse_dims, int64_t dense_dims) {
  check(sparse_dims + dense_dims == sizes.size(), messages::sparse_size_length_mismatch, sizes.size(), sparse_dims, dense_dims);
  SparseComponents parts = components_of(self);
  const auto dense_sizes = [](IntList all, int64_t before) { return IntList(all.data + before, all.count - before); };
  if (nnz(self) > 0) {
    check_dim_count_kept("sparse", sparse_dim(self), sparse_dims);
    check_dim_count_kept("dense", dense_dim(self), dense_dims);
    check_sizes_not_shrunk("sparse", self.sizes().first(sparse_dims), sizes.first(sparse_dims));
    check_sizes_not_shrunk("dense", dense_sizes(self.sizes(), sparse_dims), dense_sizes(sizes, sparse_dims));
  }
  for (int64_t s : sizes) check(s >= 0, messages::numel_overflow);
  check(sparse_dims >= 0 && dense_dims >= 0, "a sparse tensor cannot have {} sparse and {} dense dimensions", sparse_dims, dense_dims);
  if (self.sizes() == sizes && sparse_dims == sparse_dim(self)) return;
  BelowAutograd guard;
  Dims value_sizes(dense_sizes(sizes, sparse_dims));
  value_sizes.insert(0, nnz(self));
  if (sparse_dims != sparse_dim(self)) parts.indices = empty({sparse_dims, 0}, Dtype::int64, self.device());
  if (parts.values.sizes() != IntList(value_sizes)) {
    const Tensor values = op<"zeros">(value_sizes, self.dtype(), nullptr, self.device()), old = op<"reshape">(parts.values, IntList({-1}));
    op<"copy_">(op<"narrow">(op<"view">(values, IntList({-1})), 0, 0, old.numel()), old);
    parts.values = values;
  }
  set_sparse(self, sizes, std::move(parts));
}

void copy_sparse(const Tensor& self, const Tensor& source) {
  if (self.get() == source.get()) return;
  BelowAutograd guard;
  resize_sparse(self, source.sizes(), op<"sparse_dim", int64_t>(source), op<"dense_dim", int64_t>(source));
  check(is_sparse(source), "copy_sparse_to_sparse_: the source is not sparse");
  SparseComponents parts = components_of(source);
  parts.indices = op<"clone">(parts.indices);
  parts.values = op<"to.dtype">(parts.values, self.dtype(), /*non_blocking=*/false, /*copy=*/true);
  set_sparse(self, source.sizes(), std::move(parts));
}

}  // namespace mt
