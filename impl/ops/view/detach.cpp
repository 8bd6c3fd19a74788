// detach: the same memory without a gradient history.
#include "rules/form/algebra.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto detach_tensor = [](const Tensor& self) -> Tensor { return alias(self, true); };

MT_OP(OpDef{
    .schema = {"detach(Tensor(a) self) -> Tensor(a)"},
    .forms = function | method,
    .doc = R"(Returns a tensor that shares memory with `self` and has no gradient history.

The result never requires a gradient, in forward mode neither. A write into either shows in the
other, and autograd notices it: a backward pass that needs the overwritten values raises.

Args:
    self (Tensor): tensor of any dtype and layout.

Returns:
    Tensor: a view with ``requires_grad=False``.

Example:
    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> y = (x * 2).detach()
    >>> y.requires_grad
    False)",
    .view = detach_tensor,
    .sparse = detach_tensor,
    .compressed = detach_tensor,
    .grad = not_differentiable,
    .batch = batch_leading,
});

}  // namespace
}  // namespace mt
