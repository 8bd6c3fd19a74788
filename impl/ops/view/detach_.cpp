// detach_: detaches the tensor itself from the graph.
#include "autograd/meta.h"
#include "rules/form/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"detach_(Tensor(a!) self) -> Tensor(a!)"},
    .forms = function,
    .doc = R"(Cuts `self` off from the graph that computed it, in place.

Afterwards `self` is a leaf with ``requires_grad=False``; its elements stay.

Args:
    self (Tensor): tensor that is not a view.

Returns:
    Tensor: `self`.

Raises:
    RuntimeError: when `self` is a view that autograd follows; use ``detach`` there.

Example:
    >>> y = torch.tensor([1.0], requires_grad=True) * 2
    >>> y.detach_().requires_grad
    False)",
    .composite = [](const Tensor& self) { detach_inplace(self); },
});

}  // namespace
}  // namespace mt
