// argwhere: the indices of non-zero elements as rows.
#include "rules/form/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"argwhere(Tensor self) -> Tensor"},
    .forms = function | method,
    .doc = R"(Returns the index of each non-zero element as a row, in order; the same as ``torch.nonzero``.

Args:
    self (Tensor): tensor of n dimensions.

Returns:
    Tensor: int64 matrix ``(number of non-zero elements, n)``.

Example:
    >>> torch.argwhere(torch.tensor([[0, 5], [7, 0]]))
    tensor([[0, 1],
            [1, 0]]))",
    .composite = [](const Tensor& self) -> Tensor { return op<"nonzero">(self); },
});

}  // namespace
}  // namespace mt
