// to_sparse_bsr: converts a tensor to the layout sparse_bsr (compressed rows of blocks).
// It calls _to_sparse_bsr, which converts, unless the tensor has that layout already.
#include "rules/sparse/sparse_compressed.h"

namespace mt {
namespace {

constexpr auto request_layout = [](const Tensor& self, IntList block, std::optional<int64_t> dense) -> Tensor {
  return request_layout_conversion(self, Layout::sparse_bsr, block, dense);
};
constexpr auto convert_to_sparse_bsr = [](const Tensor& self, IntList block, std::optional<int64_t> dense) -> Tensor {
  return to_compressed(self, Layout::sparse_bsr, block, dense);
};

MT_OP(OpDef{
    .schema = {"to_sparse_bsr(Tensor self, int[2] blocksize, int? dense_dim=None) -> Tensor"},
    .forms = method,
    .doc = R"(Returns the elements that are not zero in the layout of compressed rows of blocks (sparse_bsr).

A tensor that has the layout comes back itself. The gradient comes back in the layout of `self`.

Args:
    self (Tensor): matrix or batch of matrices, of any layout.
    blocksize (tuple of int): height and width of the blocks; they divide the sizes.
    dense_dim (int, optional): number of dense dimensions, the last ones. Default: ``None``, 0.

Returns:
    Tensor: a tensor of the layout ``torch.sparse_bsr``.

Raises:
    RuntimeError: when the dimensions or blocks do not fit.

Example:
    >>> x = torch.tensor([[0.0, 3.0], [4.0, 0.0]]).to_sparse_bsr((1, 2))
    >>> x.values().tolist()
    [[[0.0, 3.0]], [[4.0, 0.0]]])",
    .composite = request_layout,
});

MT_OP(OpDef{
    .schema = {"_to_sparse_bsr(Tensor self, int[2] blocksize, int? dense_dim=None) -> Tensor"},
    .forms = method,
    .doc = "Returns a copy in the layout sparse_bsr; ``to_sparse_bsr`` calls it.",
    .cpu = convert_to_sparse_bsr,
    .sparse = convert_to_sparse_bsr,
    .compressed = convert_to_sparse_bsr,
    .grad = {wrt("self", [](Grad g, MetaOf<"self"> self) { return convert_gradient_to_layout_of(g, self); })},
    .grad_name = "ToSparseBsrBackward0",
});

}  // namespace
}  // namespace mt
