// to_sparse: converts a tensor to a sparse layout. It calls _to_sparse, which converts, unless the tensor has that layout already.
#include "rules/sparse/sparse_compressed.h"

namespace mt {
namespace {

void check_sparse_dim_unchanged(const char* who, const Tensor& self, int64_t sparse_dims) {
  check(sparse_dims == sparse_dim(self),
        "{}: conversion from Sparse to Sparse with sparse_dim argument !=self.sparse_dim() is not supported", who);
}

MT_OP(OpDef{
    .schema = {"to_sparse(Tensor self, *, Layout? layout=None, int[2]? blocksize=None, int? dense_dim=None) -> Tensor",
               "to_sparse.sparse_dim(Tensor self, int sparse_dim) -> Tensor"},
    .forms = method,
    .doc = R"(Returns the elements that are not zero in a sparse layout; `self` itself where it has the layout.

A number as the only argument is the number of sparse dimensions of a COO tensor: then an element is
a slice of the further dimensions. The gradient comes back in the layout of `self`.

Args:
    self (Tensor): tensor of any layout.
    sparse_dim (int): number of sparse dimensions, the first ones.
    layout (torch.layout, optional): Default: ``None``, ``torch.sparse_coo``.
    blocksize (tuple of int, optional): height and width of blocks; for sparse_bsr and sparse_bsc
        only, and required there.
    dense_dim (int, optional): number of dense dimensions, the last ones, of a compressed layout.

Returns:
    Tensor: a sparse tensor; a COO tensor is coalesced.

Raises:
    RuntimeError: when the arguments do not fit the layout, or no conversion exists.

Example:
    >>> x = torch.tensor([[0.0, 3.0], [4.0, 0.0]]).to_sparse()
    >>> x.indices(), x.values()
    (tensor([[0, 1],
            [1, 0]]), tensor([3., 4.])))",
    .composite = [](const Tensor& self, std::optional<Layout> layout, std::optional<IntList> block,
                    std::optional<int64_t> dense) -> Tensor {
      const Layout to = layout.value_or(Layout::sparse_coo);
      if (self.layout() != to) return op<"_to_sparse">(self, layout, block, dense);
      check_conversion("to_sparse", self, to, block, dense);
      return self;
    },
    .overloads = {overload("sparse_dim", {.composite = [](const Tensor& self, int64_t sparse_dims) -> Tensor {
                             if (self.layout() != Layout::sparse_coo) return op<"_to_sparse.sparse_dim">(self, sparse_dims);
                             check_sparse_dim_unchanged("to_sparse", self, sparse_dims);
                             return self;
                           }})},
});

// The indices of non-zero slices over the first dimensions.
constexpr auto dense_to_coo = [](const Tensor& self, int64_t sparse_dims) -> Tensor {
  const int64_t dims = self.dim();
  check(sparse_dims >= 0 && sparse_dims <= dims, "dense_to_sparse: sparse_dim argument must be in [0,{}] range, but {} is given", dims,
        sparse_dims);
  check(sparse_dims > 0 || dims == 0, "dense_to_sparse: sparse_dim argument must be in >0 when self.dim()>0");
  BelowAutograd guard;
  Tensor kept = self;
  if (sparse_dims < dims) {
    Dims inner;
    for (int64_t d = sparse_dims; d < dims; ++d) inner.push_back(d);
    kept = op<"any.dims">(op<"ne.Scalar">(self, Scalar(0)), IntList(inner), false);
  }
  const Tensor found = op<"nonzero">(kept);
  // With torch's strides.
  const Tensor indices = sparse_dims == 1 && dims > 1 ? op<"t">(op<"clone">(found, MemoryFormat::contiguous))
                                                      : op<"clone">(op<"t">(found), MemoryFormat::contiguous);
  const Dims rows = merge_leading_sizes(self.sizes(), sparse_dims);
  const Tensor values = op<"index_select">(op<"reshape">(self, IntList(rows)), int64_t(0), linearize_indices(indices, self.sizes()));
  return coo_tensor(indices, values, self.sizes(), true);
};

// Converts a tensor of any layout to any other.
constexpr auto convert_to_layout = [](const Tensor& self, std::optional<Layout> layout, std::optional<IntList> block,
                                      std::optional<int64_t> dense) -> Tensor {
  const Layout from = self.layout(), to = layout.value_or(Layout::sparse_coo);
  const char* who = is_compressed(from)          ? "sparse_compressed_to_sparse"
                    : from == Layout::sparse_coo ? "sparse_coo_to_sparse"
                                                 : "dense_to_sparse";
  check(from != to, "{}: unexpected same input and output layout", who);
  check_conversion(who, self, to, block, dense);
  BelowAutograd guard;
  if (is_compressed(to)) return call_conversion_to_layout(self, to, block, dense);
  if (to == Layout::strided) return op<"to_dense">(self);
  return is_compressed(from) ? compressed_to_coo(self) : dense_to_coo(self, self.dim() - dense.value_or(0));
};
constexpr auto convert_to_coo = [](const Tensor& self, int64_t sparse_dims) -> Tensor {
  if (is_compressed(self.layout())) {
    check(sparse_dims == 2, "sparse_compressed_to_sparse: conversion from {} to Sparse with sparse_dim argument !=2 is not supported",
          name_of(self.layout()));
    return compressed_to_coo(self);
  }
  check_sparse_dim_unchanged("sparse_coo_to_sparse", self, sparse_dims);
  fail("sparse_coo_to_sparse: Sparse to Sparse conversion not supported");
};

MT_OP(OpDef{
    .schema = {"_to_sparse(Tensor self, *, Layout? layout=None, int[2]? blocksize=None, int? dense_dim=None) -> Tensor",
               "_to_sparse.sparse_dim(Tensor self, int sparse_dim) -> Tensor"},
    .forms = method,
    .doc = "Returns a copy in a sparse layout; ``to_sparse`` calls it.",
    .cpu = convert_to_layout,
    .sparse = convert_to_layout,
    .compressed = convert_to_layout,
    .grad = {wrt("self", [](Grad g, MetaOf<"self"> self) { return convert_gradient_to_layout_of(g, self); })},
    .grad_name = "ToSparseBackward1",
    .overloads = {overload(
        "sparse_dim", {.cpu = dense_to_coo, .sparse = convert_to_coo, .compressed = convert_to_coo, .grad_name = "ToSparseBackward0"})},
});

}  // namespace
}  // namespace mt
