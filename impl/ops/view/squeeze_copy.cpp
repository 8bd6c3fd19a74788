// squeeze_copy: the elements of squeeze, copied to new memory.
#include "rules/form/view_copy.h"

namespace mt {
namespace {

MT_OP(make_view_copy_definition(OpDef{
    .schema = {"squeeze_copy(Tensor self) -> Tensor", "squeeze_copy.dim(Tensor self, int dim) -> Tensor",
               "squeeze_copy.dims(Tensor self, int[] dim) -> Tensor"},
    .forms = function | out,
    .doc = R"(Copies `self` without the dimensions of size 1, or without those of `dim` that have size 1.

It computes what ``torch.squeeze`` shows, in memory of its own.

Args:
    self (Tensor): tensor of any shape.
    dim (int or tuple of int, optional): dimensions that may go; negative ones count from the last.

Returns:
    Tensor: a contiguous tensor.

Example:
    >>> torch.squeeze_copy(torch.zeros(2, 1, 3)).shape
    torch.Size([2, 3]))",
    .out_policy = OutPolicy{.recorded_as = "aten::squeeze_copy"},
}));

}  // namespace
}  // namespace mt
