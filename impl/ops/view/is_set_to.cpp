// is_set_to: whether two tensors are the same view of the same memory.
#include "rules/form/algebra.h"
#include "rules/sparse/sparse.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"is_set_to(Tensor self, Tensor tensor) -> bool"},
    .forms = method,
    .doc = R"(Returns whether two tensors are the same view: same storage, offset, sizes and strides.

Args:
    self (Tensor): any tensor.
    tensor (Tensor): tensor to compare with.

Returns:
    bool: whether they are the same view.

Raises:
    RuntimeError: when one of them is sparse.

Example:
    >>> x = torch.zeros(2, 2)
    >>> x.is_set_to(x.detach()), x.is_set_to(x.t())
    (True, False))",
    .composite = [](const Tensor& self, const Tensor& tensor) -> bool {
      if (is_sparse(self) || is_sparse(tensor)) refuse_sparse("is_set_to");
      return self->storage.get() == tensor->storage.get() && self.storage_offset() == tensor.storage_offset() &&
             self.sizes() == tensor.sizes() && self.strides() == tensor.strides();
    },
});

}  // namespace
}  // namespace mt
