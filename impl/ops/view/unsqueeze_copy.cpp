// unsqueeze_copy: the elements of unsqueeze, copied to new memory.
#include "rules/form/view_copy.h"

namespace mt {
namespace {

MT_OP(make_view_copy_definition(OpDef{
    .schema = {"unsqueeze_copy(Tensor self, int dim) -> Tensor"},
    .forms = function | out,
    .doc = R"(Copies `self` with a dimension of size 1 inserted at `dim`.

Args:
    self (Tensor): tensor of n dimensions.
    dim (int): position of the new dimension in ``[-n - 1, n]``; negative counts from the last of
        the result.

Returns:
    Tensor: a contiguous tensor with one dimension more.

Example:
    >>> torch.unsqueeze_copy(torch.tensor([1, 2]), 1)
    tensor([[1],
            [2]]))",
    .out_policy = OutPolicy{.recorded_as = "aten::unsqueeze_copy"},
}));

}  // namespace
}  // namespace mt
