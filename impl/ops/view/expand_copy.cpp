// expand_copy: the elements of expand, copied to new memory.
#include "rules/form/view_copy.h"

namespace mt {
namespace {

MT_OP(make_view_copy_definition(OpDef{
    .schema = {"expand_copy(Tensor self, SymInt[] size, *, bool implicit=False) -> Tensor"},
    .forms = function | out,
    .doc = R"(Copies `self`, expanded to `size`, into memory of its own.

It computes what ``Tensor.expand`` shows, so each element may be written by itself.

Args:
    self (Tensor): tensor to expand.
    size (tuple of int): wanted sizes; -1 keeps the size of an existing dimension.
    implicit (bool): has no effect. Default: ``False``.

Returns:
    Tensor: a contiguous tensor of shape `size`.

Example:
    >>> torch.expand_copy(torch.tensor([1, 2]), (2, 2))
    tensor([[1, 2],
            [1, 2]]))",
    .out_policy = OutPolicy{.recorded_as = "aten::expand_copy"},
}));

}  // namespace
}  // namespace mt
