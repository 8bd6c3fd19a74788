// relu6: x clamped to [0, 6].
#include "rules/form/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"relu6(Tensor self) -> Tensor"},
    .forms = function | inplace_function,
    .doc = R"(Holds x between 0 and 6.

Args:
    self (Tensor): real tensor.

Returns:
    Tensor: shape and dtype of `self`; the in-place form returns `self`.

Example:
    >>> F.relu6(torch.tensor([-3.0, 2.0, 20.0]))
    tensor([0., 2., 6.]))",
    .module = "nn",
    .composite = [](const Tensor& self) -> Tensor { return op<"hardtanh">(self, 0, 6); },
});

}  // namespace
}  // namespace mt
