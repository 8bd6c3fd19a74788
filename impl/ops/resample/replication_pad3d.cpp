// replication_pad3d: pads the last three dimensions with their edge elements; with its backward.
#include "rules/conv/border.h"
#include "rules/form/algebra.h"
#include "rules/form/exact_out.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"replication_pad3d(Tensor self, SymInt[6] padding) -> Tensor"},
    .forms = function | out,
    .doc = R"(Adds a border around the last three dimensions that repeats the edge.

Negative widths cut elements off. ``torch.nn.functional.pad`` in mode ``"replicate"`` calls it. The
gradient of the border is added to that of the elements that it shows.

Args:
    self (Tensor): shape ``(N, C, D, H, W)`` or ``(C, D, H, W)``.
    padding (tuple of int): widths ``(left, right, top, bottom, front, back)``.

Returns:
    Tensor: a new tensor.

Raises:
    RuntimeError: when a width is too large or the input has another number of dimensions.

Example:
    >>> x = torch.ones(1, 1, 3, 3, 3)
    >>> F.pad(x, (1, 1, 1, 1, 1, 1), mode="replicate").shape
    torch.Size([1, 1, 5, 5, 5]))",
    .module = "nn",
    .rule = structured_exact(border_shape<Border::replicate, 3>),
    .cpu = border_values<Border::replicate, 3>,
    .npu = {"ReplicationPad3d"},
    .grad = {wrt("self", [](Grad g, In<"self"> self,
                            In<"padding", IntList> padding) { return op<"replication_pad3d_backward">(g, self, *padding); })},
});

MT_OP(OpDef{
    .schema = {"replication_pad3d_backward(Tensor grad_output, Tensor self, SymInt[6] padding) -> Tensor"},
    .forms = internal,
    .doc = "Computes the gradient of ``replication_pad3d``.",
    .rule = structured_exact(border_backward_shape<Border::replicate, 3>, {.dtype_text = "expected scalar type {} but found {}"}),
    .cpu = border_backward_values<Border::replicate, 3>,
    .npu = {"ReplicationPad3dBackward"},
    .grad = {wrt("grad_output", [](Grad g, In<"padding", IntList> padding) { return op<"replication_pad3d">(g, *padding); }),
             wrt("self", [](Grad, In<"self"> self) { return op<"zeros_like">(self); })},
});

}  // namespace
}  // namespace mt
