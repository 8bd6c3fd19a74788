// values: the stored elements of a sparse tensor.
#include "rules/sparse/sparse.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"values(Tensor(a) self) -> Tensor(a)"},
    .forms = method,
    .doc = R"(Returns the stored values of a sparse tensor, as a view.

Autograd differentiates it: the gradient of `self` is sparse.

Args:
    self (Tensor): coalesced sparse COO tensor, or a tensor of a compressed layout.

Returns:
    Tensor: shape ``(elements, *dense sizes)``; compressed ``(*batch, elements, *dense sizes)``,
    with blocks ``(*batch, blocks, height, width, *dense sizes)``.

Raises:
    RuntimeError: when `self` is not coalesced or is strided.

Example:
    >>> torch.tensor([[0.0, 3.0], [4.0, 0.0]]).to_sparse().values()
    tensor([3., 4.]))",
    .sparse = [](const Tensor& self) -> Tensor {
      check(components_of(self).coalesced, "Cannot get values on an uncoalesced tensor, please call .coalesce() first");
      return alias(components_of(self).values, true);
    },
    .compressed = [](const Tensor& self) -> Tensor { return alias(components_of(self).values, true); },
    .grad = {wrt("self",
                 [](Grad g, In<"self"> self) {
                   if (self.layout() != Layout::sparse_coo) return with_values(self, g);
                   return op<"_sparse_coo_tensor_unsafe">(op<"_indices">(self), g, self.sizes(), nullptr, nullptr, nullptr, nullptr, true);
                 })},
});

}  // namespace
}  // namespace mt
