// _sparse_sum: sums of sparse_coo tensors whose gradients are sparse too.
#include "core/messages.h"
#include "rules/sparse/sparse_lookup.h"

namespace mt {
namespace {

struct SummedDims {
  Dims sparse, dense;  // dense: as dimensions of the values
};
SummedDims list_summed_dims(const Tensor& self, IntList dims) {
  SummedDims out;
  Dims seen(std::max<int64_t>(self.dim(), 1), 0);
  for (int64_t dim : dims) {
    const int64_t d = wrap_dim(dim, self.dim());
    check(!std::exchange(seen[d], 1), messages::dim_appears_multiple_times, d);
    if (self.dim() == 0) out.sparse.push_back(d);
  }
  for (int64_t d = 0; d < self.dim(); ++d)
    if (seen[d] && d < sparse_dim(self))
      out.sparse.push_back(d);
    else if (seen[d])
      out.dense.push_back(d - sparse_dim(self) + 1);
  return out;
}
bool contains_dim(const Dims& dims, int64_t d) { return std::find(dims.begin(), dims.end(), d) != dims.end(); }
// The rows of `indices` that remain after some dimensions are summed, and their sizes.
Tensor keep_unsummed_indices(const Tensor& self, const Tensor& indices, const Dims& summed, Dims& sizes) {
  std::vector<Tensor> kept{op<"narrow">(indices, 0, 0, 0)};
  for (int64_t d = 0; d < indices.size(0); ++d) {
    if (contains_dim(summed, d)) continue;
    kept.push_back(op<"narrow">(indices, 0, d, 1));
    sizes.push_back(self.size(d));
  }
  return op<"cat">(kept, 0);
}

constexpr auto compute_sparse_sum = [](const Tensor& self, IntList dims) -> Tensor {
  const SummedDims by = list_summed_dims(self, dims);
  BelowAutograd guard;
  const SparseComponents& parts = components_of(self);
  const int64_t left = sparse_dim(self) - by.sparse.size();
  const Tensor values = by.dense.empty() ? parts.values : op<"sum.dim_IntList">(parts.values, by.dense, false);
  if (left == 0) return op<"sum.dim_IntList">(values, IntList({0}), false);
  check(left > 0, "Trying to create tensor with negative dimension {}: [{}, {}]", left, left, nnz(self));
  Dims sizes;
  const Tensor indices = op<"clone">(keep_unsummed_indices(self, parts.indices, by.sparse, sizes));
  for (int64_t d = 1; d < values.dim(); ++d) sizes.push_back(values.size(d));
  return op<"_coalesce">(coo_tensor(indices, op<"clone">(values), sizes, false));
};

MT_OP(OpDef{
    .schema = {"_sparse_sum.dim(Tensor self, int[1] dim) -> Tensor", "_sparse_sum(Tensor self) -> Tensor",
               "_sparse_sum.dtype(Tensor self, *, ScalarType dtype) -> Tensor",
               "_sparse_sum.dim_dtype(Tensor self, int[1] dim, *, ScalarType dtype) -> Tensor"},
    .forms = function,
    .doc = R"(Computes the sum over `dim`, or of all elements, of a sparse COO tensor.

The result is sparse unless all sparse dimensions are summed. ``torch.sparse.sum`` calls it.)",
    .sparse = compute_sparse_sum,
    .grad = {wrt("self", [](Grad g, In<"self"> self, In<"dim", IntList> dim) { return op<"_sparse_sum_backward">(g, self, *dim); })},
    .overloads = {overload("", {.composite = [](const Tensor& self) -> Tensor { return op<"sum">(op<"values">(op<"coalesce">(self))); }}),
                  overload("dtype", {.composite = [](const Tensor& self, Dtype dtype) -> Tensor {
                             return op<"_sparse_sum">(op<"to.dtype">(self, dtype));
                           }}),
                  overload("dim_dtype", {.composite = [](const Tensor& self, IntList dim, Dtype dtype) -> Tensor {
                             return op<"_sparse_sum.dim">(op<"to.dtype">(self, dtype), dim);
                           }})},
});

constexpr auto differentiate_sparse_sum = [](const Tensor& grad, const Tensor& given, IntList dims) -> Tensor {
  BelowAutograd guard;
  if (grad.numel() == 0 || (is_sparse(grad) && nnz(grad) == 0)) return op<"zeros_like">(given);
  const Tensor self = coalesce(given);
  const SparseComponents& parts = components_of(self);
  const SummedDims by = list_summed_dims(self, dims);
  const bool all = by.sparse.size() == sparse_dim(self);
  check(!all || !is_sparse(grad), "_sparse_sum_backward_cpu: expected grad_ Tensor to be dense since all sparse dims are summed");
  check(all || is_sparse(grad), "_sparse_sum_backward_cpu: expected grad_ Tensor to be sparse, but got dense");
  const auto made = [&](const Tensor& values) {
    return coo_tensor(op<"clone">(parts.indices), op<"clone">(values, MemoryFormat::contiguous), self.sizes(), true);
  };
  Dims sizes(parts.values.sizes());
  if (all) {
    Tensor values = grad;
    for (int64_t d : by.dense) values = op<"unsqueeze">(values, d - 1);
    return made(op<"expand">(values, sizes));
  }
  const Tensor once = coalesce(grad);
  Tensor values = components_of(once).values;
  for (int64_t d : by.dense) values = op<"unsqueeze">(values, d);
  Dims kept_sizes;
  const Tensor kept = keep_unsummed_indices(self, parts.indices, by.sparse, kept_sizes);
  const Pairs found = match_indices(linearize_indices(kept, kept_sizes), linearize_indices(components_of(once).indices, kept_sizes));
  const Tensor at_places = op<"zeros">(sizes, grad.dtype(), nullptr, grad.device());
  sizes[0] = found.of_source.numel();
  op<"index_copy_">(at_places, 0, found.of_source, op<"expand">(op<"index_select">(values, 0, found.of_sorted), sizes));
  return made(at_places);
};

MT_OP(OpDef{
    .schema = {"_sparse_sum_backward(Tensor grad, Tensor self, int[] dim) -> Tensor"},
    .forms = internal,
    .doc = "Computes the gradient of ``_sparse_sum`` at the stored elements of `self`.",
    .sparse = differentiate_sparse_sum,
});

}  // namespace
}  // namespace mt
