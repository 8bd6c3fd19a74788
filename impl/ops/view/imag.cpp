// imag: the imaginary part as a view.
#include "rules/form/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"imag(Tensor(a) self) -> Tensor(a)"},
    .forms = function,
    .doc = R"(Returns the imaginary part of a complex tensor as a view.

A write into the view changes the imaginary parts in `self`.

Args:
    self (Tensor): complex tensor.

Returns:
    Tensor: a real view of the same shape: float32 for complex64, float64 for complex128.

Raises:
    RuntimeError: when `self` is not complex.

Example:
    >>> torch.imag(torch.tensor([1 + 2j, 3 - 4j]))
    tensor([ 2., -4.]))",
    .composite = [](const Tensor& self) -> Tensor {
      check(is_complex(self.dtype()), "imag is not implemented for tensors with non-complex dtypes.");
      if (self.is_conj()) return op<"_neg_view">(op<"select">(op<"view_as_real">(op<"_conj">(self)), -1, 1));
      return op<"select">(op<"view_as_real">(self), -1, 1);
    },
});

}  // namespace
}  // namespace mt
