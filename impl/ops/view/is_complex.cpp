// is_complex: whether the dtype is complex.
#include "rules/form/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"is_complex(Tensor self) -> bool"},
    .forms = function | method,
    .doc = R"(Returns whether the dtype of `self` is complex.

Args:
    self (Tensor): any tensor.

Returns:
    bool: ``True`` for complex32, complex64 and complex128.

Example:
    >>> torch.is_complex(torch.tensor(1j)), torch.is_complex(torch.tensor(1.0))
    (True, False))",
    .composite = [](const Tensor& self) -> bool { return is_complex(self.dtype()); },
});

}  // namespace
}  // namespace mt
