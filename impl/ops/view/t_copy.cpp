// t_copy: the elements of t, copied to new memory.
#include "rules/form/view_copy.h"

namespace mt {
namespace {

MT_OP(make_view_copy_definition(OpDef{
    .schema = {"t_copy(Tensor self) -> Tensor"},
    .forms = function | out,
    .doc = R"(Copies the transpose of a matrix into memory of its own.

Args:
    self (Tensor): tensor with at most two dimensions; with fewer it is copied as it is.

Returns:
    Tensor: a contiguous tensor.

Raises:
    RuntimeError: when `self` has more than two dimensions.

Example:
    >>> torch.t_copy(torch.tensor([[1, 2], [3, 4]]))
    tensor([[1, 3],
            [2, 4]]))",
    .out_policy = OutPolicy{.recorded_as = "aten::t_copy"},
}));

}  // namespace
}  // namespace mt
