// broadcast_to: a view of a shape that it broadcasts to.
#include "rules/form/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"broadcast_to(Tensor(a) self, SymInt[] size) -> Tensor(a)"},
    .forms = function | method,
    .doc = R"(Returns a view of `self` broadcast to the shape `size`; the same as ``self.expand(size)``.

Args:
    self (Tensor): tensor to expand.
    size (tuple of int): shape to broadcast to; -1 keeps the size of an existing dimension.

Returns:
    Tensor: a view of shape `size`. Repeated elements share memory: clone it before a write.

Raises:
    RuntimeError: when a dimension is neither 1 nor the wanted size.

Example:
    >>> torch.broadcast_to(torch.tensor([1, 2, 3]), (2, 3))
    tensor([[1, 2, 3],
            [1, 2, 3]]))",
    .composite = [](const Tensor& self, IntList size) -> Tensor { return op<"expand">(self, size); },
});

}  // namespace
}  // namespace mt
