// is_conj: whether the tensor is a lazy conjugate.
#include "rules/form/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"is_conj(Tensor self) -> bool"},
    .forms = function | method,
    .doc = R"(Returns whether `self` is a lazy conjugate: its stored elements are read as conjugates.

Args:
    self (Tensor): any tensor.

Returns:
    bool: the conjugate bit.

Example:
    >>> x = torch.tensor([1j])
    >>> x.conj().is_conj(), x.conj().resolve_conj().is_conj()
    (True, False))",
    .composite = [](const Tensor& self) -> bool { return self.is_conj(); },
});

}  // namespace
}  // namespace mt
