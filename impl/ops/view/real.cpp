// real: the real part as a view; a real tensor is returned unchanged.
#include "rules/form/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"real(Tensor(a) self) -> Tensor(a)"},
    .forms = function,
    .doc = R"(Returns the real part as a view; a real tensor comes back itself.

A write into the view changes the real parts in `self`.

Args:
    self (Tensor): tensor of any dtype.

Returns:
    Tensor: a real view of the same shape: float32 for complex64, float64 for complex128.

Example:
    >>> torch.real(torch.tensor([1 + 2j, 3 - 4j]))
    tensor([1., 3.]))",
    .composite = [](const Tensor& self) -> Tensor {
      if (!is_complex(self.dtype())) return self;
      return op<"select">(op<"view_as_real">(self.is_conj() ? op<"_conj">(self) : self), -1, 0);
    },
});

}  // namespace
}  // namespace mt
