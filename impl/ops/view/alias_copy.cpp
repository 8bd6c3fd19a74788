// alias_copy: the elements of alias, copied to new memory.
#include "rules/form/view_copy.h"

namespace mt {
namespace {

MT_OP(make_view_copy_definition(OpDef{
    .schema = {"alias_copy(Tensor self) -> Tensor"},
    .forms = function | out,
    .doc = R"(Copies `self` into memory of its own, as a contiguous tensor.

It is the copying form of ``alias``, a view of the whole tensor. The gradient passes unchanged.

Args:
    self (Tensor): tensor to copy.

Returns:
    Tensor: contiguous, with the shape and dtype of `self`.

Example:
    >>> x = torch.tensor([1.0, 2.0])
    >>> y = torch.alias_copy(x)
    >>> y.data_ptr() == x.data_ptr(), torch.equal(x, y)
    (False, True))",
    .out_policy = OutPolicy{.recorded_as = "aten::alias_copy"},
}));

}  // namespace
}  // namespace mt
