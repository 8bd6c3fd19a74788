// is_signed: whether the dtype has negative numbers.
#include "rules/form/algebra.h"

namespace mt {
namespace {

bool is_unsigned_dtype(Dtype d) {
  return d == Dtype::boolean || d == Dtype::uint8 || d == Dtype::uint16 || d == Dtype::uint32 || d == Dtype::uint64;
}

MT_OP(OpDef{
    .schema = {"is_signed(Tensor self) -> bool"},
    .forms = function | method,
    .doc = R"(Returns whether the dtype of `self` has negative numbers.

Args:
    self (Tensor): any tensor.

Returns:
    bool: ``False`` for bool and the unsigned integer dtypes, otherwise ``True``.

Example:
    >>> torch.is_signed(torch.tensor(1)), torch.is_signed(torch.tensor(True))
    (True, False))",
    .composite = [](const Tensor& self) -> bool { return !is_unsigned_dtype(self.dtype()); },
});

}  // namespace
}  // namespace mt
