// is_neg: whether the tensor is a lazy negative.
#include "rules/form/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"is_neg(Tensor self) -> bool"},
    .forms = function | method,
    .doc = R"(Returns whether `self` is a lazy negative: its stored elements are read with the other sign.

The imaginary part of a lazy conjugate is one. ``torch.resolve_neg`` writes the elements out.

Args:
    self (Tensor): any tensor.

Returns:
    bool: the negative bit.

Example:
    >>> x = torch.tensor([1 + 2j])
    >>> torch.is_neg(x.conj().imag), torch.is_neg(x.imag)
    (True, False))",
    .composite = [](const Tensor& self) -> bool { return self.is_neg(); },
});

}  // namespace
}  // namespace mt
