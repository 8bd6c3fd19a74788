// is_floating_point: whether the dtype is a floating one.
#include "rules/form/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"is_floating_point(Tensor self) -> bool"},
    .forms = function | method,
    .doc = R"(Returns whether the dtype of `self` is a floating-point one; complex dtypes are not.

Args:
    self (Tensor): any tensor.

Returns:
    bool: ``True`` for float64, float32, float16, bfloat16 and the 8-bit floating dtypes.

Example:
    >>> torch.is_floating_point(torch.zeros(1)), torch.is_floating_point(torch.zeros(1).int())
    (True, False))",
    .composite = [](const Tensor& self) -> bool { return is_floating(self.dtype()); },
});

}  // namespace
}  // namespace mt
