// to_sparse: a tensor in a sparse layout, and _to_sparse, its step for one that is not in it yet.
#include "rules/sparse.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"to_sparse(Tensor self, *, Layout? layout=None, int[2]? blocksize=None, int? dense_dim=None) -> Tensor",
               "to_sparse.sparse_dim(Tensor self, int sparse_dim) -> Tensor"},
    .forms = method,
    .doc = "The elements that are not zero, in a sparse layout (of coordinates unless given), `self` itself if it is in it already. Blocks "
           "have `blocksize` elements; the last `dense_dim` dimensions stay dense, or all but the first `sparse_dim`.",
    .composite = [](const Tensor& self, std::optional<Layout> layout, std::optional<IntList> block, std::optional<int64_t> dense) -> Tensor {
      if (self.layout() == layout.value_or(Layout::sparse_coo) && (!block || !has_blocks(self.layout()))) return self;
      return op<"_to_sparse">(self, layout, block, dense);
    },
    .overloads = {overload("sparse_dim", {.composite = [](const Tensor& self, int64_t sparse_dim) -> Tensor {
                             return self.layout() == Layout::sparse_coo ? self : op<"_to_sparse.sparse_dim">(self, sparse_dim);
                           }})},
});

// Coordinates of what is not zero in the first dimensions.
constexpr auto by_dim = [](const Tensor& self, int64_t sparse_dims) -> Tensor {
  const int64_t dims = self.dim();
  check(sparse_dims > 0 || dims == 0, "sparse_dim must be >0 if dimensionality > 0");
  check(sparse_dims <= dims, "sparse_dim must be less than or equal to self.dim()");
  BelowAutograd guard;
  Tensor kept = self;
  if (sparse_dims < dims) {
    Dims inner;
    for (int64_t d = sparse_dims; d < dims; ++d) inner.push_back(d);
    kept = op<"any.dims">(op<"ne.Scalar">(self, Scalar(0)), IntList(inner), false);
  }
  const Tensor indices = op<"clone">(op<"t">(op<"nonzero">(kept)), MemoryFormat::contiguous);
  Dims rows{product(self.sizes().first(sparse_dims))};
  for (int64_t d = sparse_dims; d < dims; ++d) rows.push_back(self.size(d));
  const Tensor values = op<"index_select">(op<"reshape">(self, IntList(rows)), int64_t(0), flat_places(indices, self.sizes()));
  return coo_tensor(indices, values, self.sizes(), true);
};

constexpr auto dense_to_layout = [](const Tensor& self, std::optional<Layout> layout, std::optional<IntList> block,
                                    std::optional<int64_t> dense) -> Tensor {
  const Layout to = layout.value_or(Layout::sparse_coo);
  if (to == Layout::sparse_coo) {
    check(!block, "to_sparse: sparse_coo layout conversion from Strided to Sparse cannot use blocksize argument");
    return by_dim(self, self.dim() - dense.value_or(0));
  }
  switch (to) {
    case Layout::sparse_csr: return op<"_to_sparse_csr">(self, dense);
    case Layout::sparse_csc: return op<"_to_sparse_csc">(self, dense);
    case Layout::sparse_bsr: return op<"_to_sparse_bsr">(self, *block, dense);
    case Layout::sparse_bsc: return op<"_to_sparse_bsc">(self, *block, dense);
    default: fail("to_sparse not implemented for {} to {} conversion", name_of(self.layout()), name_of(to));
  }
};

MT_OP(OpDef{
    .schema = {"_to_sparse(Tensor self, *, Layout? layout=None, int[2]? blocksize=None, int? dense_dim=None) -> Tensor",
               "_to_sparse.sparse_dim(Tensor self, int sparse_dim) -> Tensor"},
    .forms = method,
    .doc = "A copy in a sparse layout.",
    .cpu = dense_to_layout,
    .grad = {wrt("self", [](Grad g, MetaOf<"self">) { return op<"to_dense">(g); })},
    .grad_name = "ToSparseBackward0",
    .overloads = {overload("sparse_dim", {.cpu = by_dim, .grad_name = "ToSparseBackward1"})},
});

}  // namespace
}  // namespace mt
