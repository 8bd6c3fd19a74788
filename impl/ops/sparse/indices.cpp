// indices: the indices of a coalesced tensor.
#include "rules/sparse/sparse.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"indices(Tensor(a) self) -> Tensor(a)"},
    .forms = method,
    .doc = R"(Returns the coordinates of the stored elements of a coalesced tensor, as a view.

Args:
    self (Tensor): coalesced sparse COO tensor.

Returns:
    Tensor: int64; shape ``(sparse_dim, elements)``.

Raises:
    RuntimeError: when `self` is not coalesced or has another layout.

Example:
    >>> torch.tensor([[0.0, 3.0], [4.0, 0.0]]).to_sparse().indices()
    tensor([[0, 1],
            [1, 0]]))",
    .sparse = [](const Tensor& self) -> Tensor {
      check(components_of(self).coalesced, "Cannot get indices on an uncoalesced tensor, please call .coalesce() first");
      return alias(components_of(self).indices, true);
    },
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
