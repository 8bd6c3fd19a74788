// transpose_copy: the elements of transpose, copied to new memory.
#include "rules/form/view_copy.h"

namespace mt {
namespace {

MT_OP(make_view_copy_definition(OpDef{
    .schema = {"transpose_copy.int(Tensor self, int dim0, int dim1) -> Tensor"},
    .forms = function | out,
    .doc = R"(Copies `self` with two dimensions exchanged, in memory of its own.

Args:
    self (Tensor): tensor of any shape.
    dim0 (int): one dimension; negative counts from the last.
    dim1 (int): the other.

Returns:
    Tensor: a contiguous tensor.

Example:
    >>> torch.transpose_copy(torch.tensor([[1, 2], [3, 4]]), 0, 1)
    tensor([[1, 3],
            [2, 4]]))",
    .out_policy = OutPolicy{.recorded_as = "aten::transpose_copy"},
}));

}  // namespace
}  // namespace mt
