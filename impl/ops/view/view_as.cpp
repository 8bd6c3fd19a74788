// view_as: self.view(other.size()).
#include "rules/form/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"view_as(Tensor(a) self, Tensor other) -> Tensor(a)"},
    .forms = method,
    .doc = R"(Returns a view in the shape of `other`: ``self.view(other.size())``.

Args:
    self (Tensor): tensor of any shape.
    other (Tensor): tensor with as many elements, whose shape is taken.

Returns:
    Tensor: a view that shares memory with `self`.

Raises:
    RuntimeError: where ``Tensor.view`` raises it.

Example:
    >>> torch.arange(4).view_as(torch.zeros(2, 2))
    tensor([[0, 1],
            [2, 3]]))",
    .composite = [](const Tensor& self, const Tensor& other) -> Tensor { return op<"view">(self, other.sizes()); },
});

}  // namespace
}  // namespace mt
