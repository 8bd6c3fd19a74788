// detach_copy: the elements of detach, copied to new memory.
#include "rules/form/view_copy.h"

namespace mt {
namespace {

MT_OP(make_view_copy_definition(OpDef{
    .schema = {"detach_copy(Tensor self) -> Tensor"},
    .forms = function | out,
    .doc = R"(Copies `self` into memory of its own; no gradient passes through the copy.

Args:
    self (Tensor): tensor to copy.

Returns:
    Tensor: contiguous, with the shape and dtype of `self`.

Example:
    >>> x = torch.tensor([1.0, 2.0])
    >>> torch.detach_copy(x)
    tensor([1., 2.]))",
}));

}  // namespace
}  // namespace mt
