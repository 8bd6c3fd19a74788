// to_sparse_csr: converts a tensor to the layout sparse_csr (compressed rows).
// It calls _to_sparse_csr, which converts, unless the tensor has that layout already.
#include "rules/sparse/sparse_compressed.h"

namespace mt {
namespace {

constexpr auto request_layout = [](const Tensor& self, std::optional<int64_t> dense) -> Tensor {
  return request_layout_conversion(self, Layout::sparse_csr, std::nullopt, dense);
};
constexpr auto convert_to_sparse_csr = [](const Tensor& self, std::optional<int64_t> dense) -> Tensor {
  return to_compressed(self, Layout::sparse_csr, std::nullopt, dense);
};

MT_OP(OpDef{
    .schema = {"to_sparse_csr(Tensor self, int? dense_dim=None) -> Tensor"},
    .forms = method,
    .doc = R"(Returns the elements that are not zero in the layout of compressed rows (sparse_csr).

A tensor that has the layout comes back itself. The gradient comes back in the layout of `self`.

Args:
    self (Tensor): matrix or batch of matrices, of any layout.
    dense_dim (int, optional): number of dense dimensions, the last ones. Default: ``None``, 0.

Returns:
    Tensor: a tensor of the layout ``torch.sparse_csr``.

Raises:
    RuntimeError: when the dimensions do not fit.

Example:
    >>> x = torch.tensor([[0.0, 3.0], [4.0, 0.0]]).to_sparse_csr()
    >>> x.values()
    tensor([3., 4.]))",
    .composite = request_layout,
});

MT_OP(OpDef{
    .schema = {"_to_sparse_csr(Tensor self, int? dense_dim=None) -> Tensor"},
    .forms = method,
    .doc = "Returns a copy in the layout sparse_csr; ``to_sparse_csr`` calls it.",
    .cpu = convert_to_sparse_csr,
    .sparse = convert_to_sparse_csr,
    .compressed = convert_to_sparse_csr,
    .grad = {wrt("self", [](Grad g, MetaOf<"self"> self) { return convert_gradient_to_layout_of(g, self); })},
    .grad_name = "ToSparseCsrBackward0",
});

}  // namespace
}  // namespace mt
