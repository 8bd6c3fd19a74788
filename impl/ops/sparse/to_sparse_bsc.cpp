// to_sparse_bsc: converts a tensor to the layout sparse_bsc (compressed columns of blocks).
// It calls _to_sparse_bsc, which converts, unless the tensor has that layout already.
#include "rules/sparse/sparse_compressed.h"

namespace mt {
namespace {

constexpr auto request_layout = [](const Tensor& self, IntList block, std::optional<int64_t> dense) -> Tensor {
  return request_layout_conversion(self, Layout::sparse_bsc, block, dense);
};
constexpr auto convert_to_sparse_bsc = [](const Tensor& self, IntList block, std::optional<int64_t> dense) -> Tensor {
  return to_compressed(self, Layout::sparse_bsc, block, dense);
};

MT_OP(OpDef{
    .schema = {"to_sparse_bsc(Tensor self, int[2] blocksize, int? dense_dim=None) -> Tensor"},
    .forms = method,
    .doc = R"(Returns the elements that are not zero in the layout of compressed columns of blocks (sparse_bsc).

A tensor that has the layout comes back itself. The gradient comes back in the layout of `self`.

Args:
    self (Tensor): matrix or batch of matrices, of any layout.
    blocksize (tuple of int): height and width of the blocks; they divide the sizes.
    dense_dim (int, optional): number of dense dimensions, the last ones. Default: ``None``, 0.

Returns:
    Tensor: a tensor of the layout ``torch.sparse_bsc``.

Raises:
    RuntimeError: when the dimensions or blocks do not fit.

Example:
    >>> x = torch.tensor([[0.0, 3.0], [4.0, 0.0]]).to_sparse_bsc((2, 1))
    >>> x.values().tolist()
    [[[0.0], [4.0]], [[3.0], [0.0]]])",
    .composite = request_layout,
});

MT_OP(OpDef{
    .schema = {"_to_sparse_bsc(Tensor self, int[2] blocksize, int? dense_dim=None) -> Tensor"},
    .forms = method,
    .doc = "Returns a copy in the layout sparse_bsc; ``to_sparse_bsc`` calls it.",
    .cpu = convert_to_sparse_bsc,
    .sparse = convert_to_sparse_bsc,
    .compressed = convert_to_sparse_bsc,
    .grad = {wrt("self", [](Grad g, MetaOf<"self"> self) { return convert_gradient_to_layout_of(g, self); })},
    .grad_name = "ToSparseBscBackward0",
});

}  // namespace
}  // namespace mt
