// view_copy: the elements of view, copied to new memory.
#include "rules/form/view_copy.h"

namespace mt {
namespace {

MT_OP(make_view_copy_definition(
    OpDef{
        .schema = {"view_copy(Tensor self, SymInt[] size) -> Tensor"},
        .forms = function | out,
        .doc = R"(Copies the elements into another shape, in memory of its own.

Unlike ``Tensor.view`` it takes every stride. With a dtype instead of sizes the copied bytes are
read as that dtype.

Args:
    self (Tensor): tensor of any shape.
    size (tuple of int): the new sizes; one may be -1 and follows from the others.

Returns:
    Tensor: a contiguous tensor of shape `size`.

Raises:
    RuntimeError: when the sizes do not multiply to the number of elements.

Example:
    >>> torch.view_copy(torch.arange(4), (2, 2))
    tensor([[0, 1],
            [2, 3]]))",
        .out_policy = OutPolicy{.recorded_as = "aten::view_copy"},
    },
    "reshape"));
MT_OP(make_view_copy_definition(OpDef{
    .schema = {"view_copy.dtype(Tensor self, ScalarType dtype) -> Tensor"},
    .forms = function | out,
    .doc = R"(Copies the bytes of `self` and reads them as another dtype.

Args:
    self (Tensor): tensor of any dtype.
    dtype (torch.dtype): dtype to read the bytes as; elements may have another size.

Returns:
    Tensor: a contiguous tensor of dtype `dtype`, in the shape that ``self.view(dtype)`` has.

Raises:
    RuntimeError: where ``self.view(dtype)`` raises it.

Example:
    >>> torch.view_copy(torch.tensor([1.0]), torch.int32)
    tensor([1065353216], dtype=torch.int32))",
    .out_policy = OutPolicy{.recorded_as = "aten::view_copy"},
}));

}  // namespace
}  // namespace mt
