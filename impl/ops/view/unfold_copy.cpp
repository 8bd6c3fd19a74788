// unfold_copy: the elements of unfold, copied to new memory.
#include "rules/form/view_copy.h"

namespace mt {
namespace {

MT_OP(make_view_copy_definition(OpDef{
    .schema = {"unfold_copy(Tensor self, int dimension, int size, int step) -> Tensor"},
    .forms = function | out,
    .doc = R"(Copies all windows of `size` elements along a dimension, `step` elements apart.

It computes what ``Tensor.unfold`` shows, in memory of its own.

Args:
    self (Tensor): tensor of any shape.
    dimension (int): dimension to cut; negative counts from the last.
    size (int): elements in a window.
    step (int): distance of windows; positive.

Returns:
    Tensor: a contiguous tensor with one dimension more.

Example:
    >>> torch.unfold_copy(torch.arange(4), 0, 2, 1)
    tensor([[0, 1],
            [1, 2],
            [2, 3]]))",
    .out_policy = OutPolicy{.recorded_as = "aten::unfold_copy"},
}));

}  // namespace
}  // namespace mt
