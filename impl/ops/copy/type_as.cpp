// type_as: `self` in the dtype and device of `other`.
#include "core/messages.h"
#include "rules/factory/factory.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"type_as(Tensor self, Tensor other) -> Tensor"},
    .forms = method,
    .doc = R"(Returns `self` in the dtype and device of `other`; `self` itself where they are the same.

Args:
    self (Tensor): tensor to convert.
    other (Tensor): tensor whose dtype and device are taken; same layout.

Returns:
    Tensor: `self` or a new tensor.

Raises:
    RuntimeError: when the layouts differ.

Example:
    >>> torch.tensor([1, 2]).type_as(torch.tensor([0.5]))
    tensor([1., 2.]))",
    .composite = [](const Tensor& self, const Tensor& other) -> Tensor {
      check(self.layout() == other.layout() || (self.dtype() == other.dtype() && self.device() == other.device()),
            messages::to_cannot_change_layout, name_of(self.layout()), name_of(other.layout()));
      return op<"to.other">(self, other);
    },
});

}  // namespace
}  // namespace mt
