// view_as_real_copy: the elements of view_as_real, copied to new memory.
#include "rules/form/view_copy.h"

namespace mt {
namespace {

MT_OP(make_view_copy_definition(OpDef{
    .schema = {"view_as_real_copy(Tensor self) -> Tensor"},
    .forms = function | out,
    .doc = R"(Copies a complex tensor as a real one with a last dimension of real and imaginary parts.

Args:
    self (Tensor): complex tensor that is not a lazy conjugate.

Returns:
    Tensor: a real tensor with a last dimension of size 2.

Raises:
    RuntimeError: when `self` is real or a lazy conjugate.

Example:
    >>> torch.view_as_real_copy(torch.tensor([1 + 2j]))
    tensor([[1., 2.]]))",
}));

}  // namespace
}  // namespace mt
