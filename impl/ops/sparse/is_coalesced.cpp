// is_coalesced: whether indices are sorted and unique, as a flag of the tensor says; _coalesced_ sets that flag.
#include "core/messages.h"
#include "rules/sparse/sparse.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"is_coalesced(Tensor self) -> bool"},
    .forms = method,
    .doc = R"(Returns whether a tensor stores each element once, in lexicographic order.

It is what the tensor claims: a tensor made of parts counts as uncoalesced until ``coalesce`` is
called.

Args:
    self (Tensor): sparse COO tensor.

Returns:
    bool: whether it is coalesced.

Raises:
    RuntimeError: when `self` has another layout.

Example:
    >>> x = torch.sparse_coo_tensor([[0, 0]], [1.0, 2.0], (2,))
    >>> x.is_coalesced(), x.coalesce().is_coalesced()
    (False, True))",
    .cpu = [](const Tensor& self) -> bool { fail(messages::is_coalesced_expects_coo, name_of(self.layout())); },
    .npu = {any_device},
    .meta = [](const Tensor& self) -> bool { fail(messages::is_coalesced_expects_coo, name_of(self.layout())); },
    .sparse = [](const Tensor& self) -> bool { return components_of(self).coalesced; },
    .compressed = [](const Tensor& self) -> bool { fail(messages::is_coalesced_expects_coo, name_of(self.layout())); },
    .grad = not_differentiable,
});

MT_OP(OpDef{
    .schema = {"_coalesced_(Tensor(a!) self, bool coalesced) -> Tensor(a!)"},
    .forms = method,
    .doc = "States whether `self` is coalesced, in place; nothing is checked.",
    .sparse = [](const Tensor& self, bool coalesced) -> Tensor {
      self->sparse->coalesced = coalesced;
      return self;
    },
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
