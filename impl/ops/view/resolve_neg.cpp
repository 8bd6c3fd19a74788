// resolve_neg: the tensor itself, or a copy with the pending negation carried out.
#include "rules/form/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"resolve_neg(Tensor(a) self) -> Tensor(a)"},
    .forms = function | method,
    .doc = R"(Returns a copy with a pending negation carried out, or `self` where none is pending.

Args:
    self (Tensor): any tensor; the imaginary part of a lazy conjugate is a lazy negative.

Returns:
    Tensor: `self`, or a new tensor whose negative bit is not set.

Example:
    >>> y = torch.tensor([1 + 2j]).conj().imag
    >>> torch.resolve_neg(y).is_neg()
    False)",
    .composite = [](const Tensor& self) -> Tensor { return self.is_neg() ? op<"clone">(self) : self; },
});

}  // namespace
}  // namespace mt
