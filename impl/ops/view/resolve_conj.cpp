// resolve_conj: the tensor itself, or a copy with the pending conjugation carried out.
#include "rules/form/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"resolve_conj(Tensor(a) self) -> Tensor(a)"},
    .forms = function | method,
    .doc = R"(Returns a copy with a pending conjugation carried out, or `self` where none is pending.

Args:
    self (Tensor): any tensor; ``torch.conj`` gives lazy conjugates.

Returns:
    Tensor: `self`, or a new tensor whose conjugate bit is not set.

Example:
    >>> y = torch.tensor([1 + 2j]).conj()
    >>> torch.resolve_conj(y).is_conj()
    False)",
    .composite = [](const Tensor& self) -> Tensor { return self.is_conj() ? op<"clone">(self) : self; },
});

}  // namespace
}  // namespace mt
