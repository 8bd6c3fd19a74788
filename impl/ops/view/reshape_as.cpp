// reshape_as: self.reshape(other.size()).
#include "rules/form/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"reshape_as(Tensor(a) self, Tensor other) -> Tensor(a)"},
    .forms = method,
    .doc = R"(Returns the elements in the shape of `other`: ``self.reshape(other.size())``.

Args:
    self (Tensor): tensor of any shape.
    other (Tensor): tensor with as many elements, whose shape is taken.

Returns:
    Tensor: a view where one exists, otherwise a copy.

Example:
    >>> torch.arange(4).reshape_as(torch.zeros(2, 2))
    tensor([[0, 1],
            [2, 3]]))",
    .composite = [](const Tensor& self, const Tensor& other) -> Tensor { return op<"reshape">(self, other.sizes()); },
});

}  // namespace
}  // namespace mt
