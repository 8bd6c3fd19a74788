// reflection_pad1d: pads the last dimension by mirroring at its edges; with its backward.
#include "rules/conv/border.h"
#include "rules/form/algebra.h"
#include "rules/form/exact_out.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"reflection_pad1d(Tensor self, SymInt[2] padding) -> Tensor"},
    .forms = function | out,
    .doc = R"(Adds a border around the last dimension that mirrors the elements at the edge.

The edge itself is not repeated. Negative widths cut elements off. ``torch.nn.functional.pad`` in
mode ``"reflect"`` calls it. The gradient of the border is added to that of the elements that it
shows.

Args:
    self (Tensor): shape ``(N, C, L)`` or ``(C, L)``.
    padding (tuple of int): widths ``(left, right)``; each below the size.

Returns:
    Tensor: a new tensor.

Raises:
    RuntimeError: when a width is too large or the input has another number of dimensions.

Example:
    >>> F.pad(torch.tensor([[1.0, 2.0, 3.0]]), (2, 1), mode="reflect")
    tensor([[3., 2., 1., 2., 3., 2.]]))",
    .module = "nn",
    .rule = structured_exact(border_shape<Border::reflect, 1>),
    .cpu = border_values<Border::reflect, 1>,
    .npu = {"ReflectionPad1d"},
    .grad = {wrt("self", [](Grad g, In<"self"> self,
                            In<"padding", IntList> padding) { return op<"reflection_pad1d_backward">(g, self, *padding); })},
});

MT_OP(OpDef{
    .schema = {"reflection_pad1d_backward(Tensor grad_output, Tensor self, SymInt[2] padding) -> Tensor"},
    .forms = internal,
    .doc = "Computes the gradient of ``reflection_pad1d``.",
    .rule = structured_exact(border_backward_shape<Border::reflect, 1>),
    .cpu = border_backward_values<Border::reflect, 1>,
    .npu = {"ReflectionPad1dBackward"},
    .grad = {wrt("grad_output", [](Grad g, In<"padding", IntList> padding) { return op<"reflection_pad1d">(g, *padding); }),
             wrt("self", [](Grad, In<"self"> self) { return op<"zeros_like">(self); })},
});

}  // namespace
}  // namespace mt
