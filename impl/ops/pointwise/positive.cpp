// positive: returns the tensor itself, for a unary +.
#include "rules/form/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"positive(Tensor(a) self) -> Tensor(a)"},
    .forms = function | method,
    .doc = R"(Returns `self` itself, which is what a unary + means.

Args:
    self (Tensor): any shape; not bool.

Returns:
    Tensor: `self`, not a copy.

Raises:
    RuntimeError: when `self` is bool.

Example:
    >>> torch.positive(torch.tensor([1.0, -2.0]))
    tensor([ 1., -2.]))",
    .composite = [](const Tensor& self) -> Tensor {
      check(self.dtype() != Dtype::boolean, "The `+` operator, on a bool tensor is not supported.");
      return self;
    },
});

}  // namespace
}  // namespace mt
