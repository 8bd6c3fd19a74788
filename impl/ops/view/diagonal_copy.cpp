// diagonal_copy: the elements of diagonal, copied to new memory.
#include "rules/form/view_copy.h"

namespace mt {
namespace {

MT_OP(make_view_copy_definition(OpDef{
    .schema = {"diagonal_copy(Tensor self, int offset=0, int dim1=0, int dim2=1) -> Tensor"},
    .forms = function | out,
    .doc = R"(Copies a diagonal of two dimensions into memory of its own.

It computes what ``torch.diagonal`` shows.

Args:
    self (Tensor): tensor with at least two dimensions.
    offset (int): which diagonal: above the main one where positive, below where negative. Default:
        ``0``.
    dim1 (int): first dimension; negative counts from the last. Default: ``0``.
    dim2 (int): second dimension. Default: ``1``.

Returns:
    Tensor: contiguous; the diagonal is the last dimension.

Example:
    >>> torch.diagonal_copy(torch.arange(4).view(2, 2))
    tensor([0, 3]))",
    .out_policy = OutPolicy{.recorded_as = "aten::diagonal_copy"},
}));

}  // namespace
}  // namespace mt
