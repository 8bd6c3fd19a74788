// replication_pad2d: pads the last two dimensions with their edge elements; with its backward.
#include "rules/conv/border.h"
#include "rules/form/algebra.h"
#include "rules/form/exact_out.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"replication_pad2d(Tensor self, SymInt[4] padding) -> Tensor"},
    .forms = function | out,
    .doc = R"(Adds a border around the last two dimensions that repeats the edge.

Negative widths cut elements off. ``torch.nn.functional.pad`` in mode ``"replicate"`` calls it. The
gradient of the border is added to that of the elements that it shows.

Args:
    self (Tensor): shape ``(N, C, H, W)`` or ``(C, H, W)``.
    padding (tuple of int): widths ``(left, right, top, bottom)``.

Returns:
    Tensor: a new tensor.

Raises:
    RuntimeError: when a width is too large or the input has another number of dimensions.

Example:
    >>> x = torch.ones(1, 1, 3, 3)
    >>> F.pad(x, (1, 1, 1, 1), mode="replicate").shape
    torch.Size([1, 1, 5, 5]))",
    .module = "nn",
    .rule = structured_exact(border_shape<Border::replicate, 2>),
    .cpu = border_values<Border::replicate, 2>,
    .npu = {"ReplicationPad2d"},
    .grad = {wrt("self", [](Grad g, In<"self"> self,
                            In<"padding", IntList> padding) { return op<"replication_pad2d_backward">(g, self, *padding); })},
});

MT_OP(OpDef{
    .schema = {"replication_pad2d_backward(Tensor grad_output, Tensor self, SymInt[4] padding) -> Tensor"},
    .forms = internal,
    .doc = "Computes the gradient of ``replication_pad2d``.",
    .rule = structured_exact(border_backward_shape<Border::replicate, 2>, {.dtype_text = "expected scalar type {} but found {}"}),
    .cpu = border_backward_values<Border::replicate, 2>,
    .npu = {"ReplicationPad2dBackward"},
    .grad = {wrt("grad_output", [](Grad g, In<"padding", IntList> padding) { return op<"replication_pad2d">(g, *padding); }),
             wrt("self", [](Grad, In<"self"> self) { return op<"zeros_like">(self); })},
});

}  // namespace
}  // namespace mt
