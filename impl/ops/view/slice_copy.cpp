// slice_copy: the elements of slice, copied to new memory.
#include "rules/form/view_copy.h"

namespace mt {
namespace {

MT_OP(make_view_copy_definition(OpDef{
    .schema = {"slice_copy.Tensor(Tensor self, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor"},
    .forms = function | out,
    .form_overloads = {{"out", "Tensor_out"}},
    .doc = R"(Copies every `step`-th index of [start, end) of dimension `dim`.

It computes what ``self[start:end:step]`` shows along `dim`, in memory of its own.

Args:
    self (Tensor): tensor with at least one dimension.
    dim (int): dimension to cut; negative counts from the last. Default: ``0``.
    start (int, optional): first index; negative counts from the end. Default: ``None``, 0.
    end (int, optional): index after the last; cut to the size. Default: ``None``, the size.
    step (int): distance of the indices; positive. Default: ``1``.

Returns:
    Tensor: a contiguous tensor.

Raises:
    RuntimeError: when `step` is not positive.

Example:
    >>> torch.slice_copy(torch.arange(8), 0, 1, 6, 2)
    tensor([1, 3, 5]))",
}));

}  // namespace
}  // namespace mt
