// _to_dense: copies the elements of a sparse tensor into a tensor of zeros.
#include "rules/sparse/sparse_compressed.h"

namespace mt {
namespace {

constexpr auto fill_from_coordinates = [](const Tensor& self, std::optional<Dtype> dtype, std::optional<bool>) -> Tensor {
  check(!dtype || *dtype == self.dtype(), "dtype argument is not supported by sparse_to_dense");
  BelowAutograd guard;
  const SparseComponents& parts = components_of(self);
  const Tensor dense = op<"zeros">(self.sizes(), self.dtype(), nullptr, self.device());
  if (self.is_meta() || nnz(self) == 0) return dense;
  const Dims rows = merge_leading_sizes(self.sizes(), sparse_dim(self));
  const Tensor places = linearize_indices(parts.indices, self.sizes());
  if (parts.coalesced)
    op<"index_copy_">(op<"view">(dense, IntList(rows)), int64_t(0), places, parts.values);
  else
    op<"index_add_">(op<"view">(dense, IntList(rows)), int64_t(0), places, parts.values);
  return dense;
};

constexpr auto fill_from_compressed = [](const Tensor& self, std::optional<Dtype> dtype, std::optional<bool>) -> Tensor {
  check(!dtype, "dtype argument is not supported by sparse_csr_to_dense");
  BelowAutograd guard;
  if (self.is_meta()) return empty(self.sizes(), self.dtype(), self.device());
  const Tensor dense = op<"zeros">(self.sizes(), self.dtype(), nullptr, self.device());
  if (dense.numel() > 0) add_compressed(dense, self, Scalar(1));
  return dense;
};

MT_OP(OpDef{
    .schema = {"_to_dense(Tensor self, ScalarType? dtype=None, bool? masked_grad=None) -> Tensor"},
    .forms = method,
    .doc = "Returns a strided tensor of the elements of a sparse one, zeros elsewhere; ``to_dense`` calls it.",
    .sparse = fill_from_coordinates,
    .compressed = fill_from_compressed,
    .grad = {wrt("self", [](Grad g, In<"self"> self,
                            In<"masked_grad", std::optional<bool>> masked) { return op<"to_dense_backward">(g, self, *masked); })},
    .grad_name = "ToDenseBackward0",
});

MT_OP(OpDef{
    .schema = {"to_dense_backward(Tensor grad, Tensor input, bool? masked_grad=None) -> Tensor"},
    .forms = internal,
    .doc = "Computes the gradient of ``to_dense``: of stored elements only, unless `masked_grad` is ``False``.",
    .composite = [](const Tensor& grad, const Tensor& input, std::optional<bool> masked) -> Tensor {
      if (input.layout() == Layout::strided) return op<"to.dtype_layout">(grad, input.dtype());
      const Layout layout = input.layout();
      if (masked.value_or(true)) return op<"sparse_mask">(grad, layout == Layout::sparse_coo ? op<"coalesce">(input) : input);
      if (layout == Layout::sparse_coo) return op<"to_sparse.sparse_dim">(grad, sparse_dim(input));
      const SparseComponents& parts = components_of(input);
      return op<"to_sparse">(grad, layout, block_of(input), parts.values.dim() - parts.plain.dim() - (has_blocks(layout) ? 2 : 0));
    },
});

}  // namespace
}  // namespace mt
