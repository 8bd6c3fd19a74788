// expand_as: self.expand(other.size()).
#include "rules/form/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"expand_as(Tensor(a) self, Tensor other) -> Tensor(a)"},
    .forms = method,
    .doc = R"(Returns a view of `self` expanded to the shape of `other`: ``self.expand(other.size())``.

Args:
    self (Tensor): tensor to expand.
    other (Tensor): tensor whose shape is taken.

Returns:
    Tensor: a view; repeated elements share memory.

Example:
    >>> torch.tensor([[1], [2]]).expand_as(torch.zeros(2, 3))
    tensor([[1, 1, 1],
            [2, 2, 2]]))",
    .composite = [](const Tensor& self, const Tensor& other) -> Tensor { return op<"expand">(self, other.sizes()); },
});

}  // namespace
}  // namespace mt
