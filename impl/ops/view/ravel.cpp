// ravel: the elements as a contiguous vector.
#include "rules/form/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"ravel(Tensor(a) self) -> Tensor(a)"},
    .forms = function | method,
    .doc = R"(Returns the elements as a contiguous vector, last dimension fastest.

The result is a view of a contiguous `self`, otherwise of a copy.

Args:
    self (Tensor): tensor of any shape.

Returns:
    Tensor: a vector of ``self.numel()`` elements.

Example:
    >>> torch.ravel(torch.tensor([[1, 2], [3, 4]]).t())
    tensor([1, 3, 2, 4]))",
    .composite = [](const Tensor& self) -> Tensor { return op<"view">(op<"contiguous">(self), IntList{-1}); },
});

}  // namespace
}  // namespace mt
