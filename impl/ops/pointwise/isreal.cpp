// isreal: whether the imaginary part of each element is zero.
#include "rules/form/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"isreal(Tensor self) -> Tensor"},
    .forms = function | method,
    .doc = R"(Tests each element for an imaginary part of zero.

True everywhere for real tensors.

Args:
    self (Tensor): any shape and dtype.

Returns:
    Tensor: bool, with the shape of `self`.

Example:
    >>> torch.isreal(torch.tensor([1 + 0j, 1j]))
    tensor([ True, False]))",
    .composite = [](const Tensor& self) -> Tensor {
      if (is_complex(self.dtype())) return op<"eq">(op<"imag">(self), 0);
      return op<"ones_like">(self, Dtype::boolean);
    },
});

}  // namespace
}  // namespace mt
