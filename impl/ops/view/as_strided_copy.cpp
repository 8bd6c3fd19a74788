// as_strided_copy: the elements of as_strided, copied to new memory.
#include "rules/form/view_copy.h"

namespace mt {
namespace {

MT_OP(make_view_copy_definition(OpDef{
    .schema = {"as_strided_copy(Tensor self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor"},
    .forms = function | out,
    .doc = R"(Copies the elements that ``as_strided`` shows into memory of their own.

Args:
    self (Tensor): tensor whose storage is read.
    size (tuple of int): shape of the result.
    stride (tuple of int): strides in elements of the elements to read; not negative.
    storage_offset (int, optional): first element in the storage. Default: ``None``, the offset of
        `self`.

Returns:
    Tensor: a contiguous tensor of shape `size`.

Raises:
    RuntimeError: where ``as_strided`` raises it.

Example:
    >>> torch.as_strided_copy(torch.arange(6), (2, 2), (1, 2))
    tensor([[0, 2],
            [1, 3]]))",
    .out_policy = OutPolicy{.recorded_as = "aten::as_strided_copy"},
}));

}  // namespace
}  // namespace mt
