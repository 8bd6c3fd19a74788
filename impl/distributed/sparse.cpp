// Sums of sparse_coo tensors: concatenates indices and values of all ranks, then adds up duplicates.
#include "core/sparse.h"

#include "dispatch/invoke.h"
#include "distributed/group.h"

namespace mt::dist {
namespace {

constexpr int64_t longest = 64;  // dimensions

struct Header {
  int64_t count, sparse_dims, dense_dims, sizes[longest];
};

// Gathers tensors whose first or last dimension differs between ranks; each rank's elements are contiguous in the result.
std::vector<Tensor> gather_uneven(Call& call, const Tensor& mine, const std::vector<int64_t>& counts, IntList row, bool counts_last) {
  const int64_t row_size = product(row), most = *std::max_element(counts.begin(), counts.end());
  const Tensor padded = op<"new_zeros">(mine, Dims{most * row_size});
  const Tensor flat_mine = op<"reshape">(mine, Dims{-1});
  op<"copy_">(op<"narrow">(padded, 0, 0, flat_mine.numel()), flat_mine);
  const Tensor all = gather_all(call, padded);
  std::vector<Tensor> out;
  for (size_t rank = 0; rank < counts.size(); ++rank) {
    Dims sizes;
    if (!counts_last) sizes.push_back(counts[rank]);
    for (const int64_t size : row) sizes.push_back(size);
    if (counts_last) sizes.push_back(counts[rank]);
    out.push_back(op<"view">(op<"narrow">(all, 0, int64_t(rank) * most * row_size, counts[rank] * row_size), sizes));
  }
  return out;
}

}  // namespace

void all_reduce_sparse(Call& call, const Tensor& target) {
  const Tensor mine = op<"coalesce">(alias(target, false));
  Header header{};
  check(mine.dim() <= longest, "a sparse tensor has {} dimensions, and {} are the most", mine.dim(), longest);
  header.count = nnz(mine);
  header.sparse_dims = sparse_dim(mine);
  header.dense_dims = dense_dim(mine);
  for (int64_t i = 0; i < mine.dim(); ++i) header.sizes[i] = mine.size(i);
  const Tensor packed = empty({int64_t(sizeof header / sizeof(int64_t))}, Dtype::int64);
  std::memcpy(packed.data(), &header, sizeof header);
  const Tensor everybody = gather_all(call, packed);
  std::vector<int64_t> counts;
  for (int rank = 0; rank < call.channel.size(); ++rank) {
    Header other;
    std::memcpy(&other, everybody.data<char>() + size_t(rank) * sizeof other, sizeof other);
    check(other.sparse_dims == header.sparse_dims && other.sparse_dims <= mine.dim() &&
              std::equal(other.sizes, other.sizes + header.sparse_dims, header.sizes),
          "Sparse dimensions do not match");
    check(other.dense_dims == header.dense_dims && std::equal(other.sizes, other.sizes + longest, header.sizes),
          "Dense dimensions do not match");
    check(other.count >= 0 && other.count <= product(mine.sizes().first(header.sparse_dims)), "a rank has more elements than fit");
    counts.push_back(other.count);
  }
  const SparseComponents& parts = components_of(mine);
  // The indices of each dimension are contiguous, so that each rank's block stays contiguous.
  const auto indices = gather_uneven(call, parts.indices, counts, IntList({header.sparse_dims}), true);
  const auto values = gather_uneven(call, parts.values, counts, IntList(parts.values.sizes().begin() + 1, parts.values.dim() - 1), false);
  SparseComponents all;
  all.indices = op<"cat">(indices, 1);
  all.values = op<"cat">(values, 0);
  const Tensor total = op<"coalesce">(make_sparse(mine.sizes(), all));
  set_sparse(target, target.sizes(), components_of(total));
  target.bump_version();
}

}  // namespace mt::dist
