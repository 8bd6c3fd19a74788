// reflection_pad1d: a border that mirrors the tensor at its edges, round the last dimension; with its backward.
#include "rules/algebra.h"
#include "rules/border.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"reflection_pad1d(Tensor self, SymInt[2] padding) -> Tensor"},
    .forms = function | out,
    .doc = "A border that mirrors the tensor at its edges, round the last dimension; negative counts cut.",
    .module = "nn",
    .rule = structured(border_shape<Border::reflect, 1>),
    .cpu = border_values<Border::reflect, 1>,
    .npu = {"ReflectionPad1d"},
    .grad = {wrt("self",
                 [](Grad g, In<"self"> self, In<"padding", IntList> padding) {
                   return op<"reflection_pad1d_backward">(g, self, *padding);
                 })},
});

MT_OP(OpDef{
    .schema = {"reflection_pad1d_backward(Tensor grad_output, Tensor self, SymInt[2] padding) -> Tensor"},
    .forms = internal,
    .doc = "The gradients of the border added to those of the elements that it shows.",
    .rule = structured(border_backward_shape<Border::reflect, 1>),
    .cpu = border_backward_values<Border::reflect, 1>,
    .npu = {"ReflectionPad1dBackward"},
    .grad = {wrt("grad_output",
                 [](Grad g, In<"padding", IntList> padding) { return op<"reflection_pad1d">(g, *padding); }),
             wrt("self", [](Grad, In<"self"> self) { return op<"zeros_like">(self); })},
});

}  // namespace
}  // namespace mt
