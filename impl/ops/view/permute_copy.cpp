// permute_copy: the elements of permute, copied to new memory.
#include "rules/form/view_copy.h"

namespace mt {
namespace {

MT_OP(make_view_copy_definition(OpDef{
    .schema = {"permute_copy(Tensor self, int[] dims) -> Tensor"},
    .forms = function | out,
    .doc = R"(Copies `self` with its dimensions in the order `dims`.

It computes what ``torch.permute`` shows, as a contiguous tensor.

Args:
    self (Tensor): tensor of any shape.
    dims (tuple of int): each dimension once; negative ones count from the last.

Returns:
    Tensor: a contiguous tensor.

Example:
    >>> torch.permute_copy(torch.zeros(2, 3, 5), (2, 0, 1)).stride()
    (6, 3, 1))",
    .out_policy = OutPolicy{.recorded_as = "aten::permute_copy"},
}));

}  // namespace
}  // namespace mt
