// is_same_size: whether two tensors have the same shape.
#include "rules/form/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"is_same_size(Tensor self, Tensor other) -> bool"},
    .forms = function | method,
    .doc = R"(Returns whether two tensors have the same shape; dtypes and devices may differ.

Args:
    self (Tensor): any tensor.
    other (Tensor): any tensor.

Returns:
    bool: whether the shapes are equal.

Example:
    >>> torch.is_same_size(torch.zeros(2, 3), torch.ones(2, 3))
    True)",
    .composite = [](const Tensor& self, const Tensor& other) -> bool { return self.sizes() == other.sizes(); },
});

}  // namespace
}  // namespace mt
