// max_pool2d_with_indices_backward: adds each result's gradient to the element that was the maximum.
#include "rules/pool/pooling.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"max_pool2d_with_indices_backward(Tensor grad_output, Tensor self, int[2] kernel_size, int[2] stride, "
               "int[2] padding, int[2] dilation, bool "
               "ceil_mode, Tensor indices) -> Tensor"},
    .doc = "Computes the gradient of ``max_pool2d``: it goes to the elements that were taken.",
    .rule = structured_exact([](Specs& out, const Tensor& grad, const Tensor& self, IntList kernel, IntList stride, IntList padding,
                                IntList dilation, bool ceil_mode, const Tensor& places) {
      max_pool_backward_specs(out, grad, self, max_window(2, kernel, stride, padding, dilation, ceil_mode), places);
    }),
    .cpu = [](const Tensor& grad, const Tensor&, IntList, IntList, IntList, IntList, bool, const Tensor& places,
              Tensor& out) { add_at_indices("max_pool2d_backward", grad, places, 2, out); },
    .npu = {"MaxPool2dWithIndicesBackward(grad_output, self, indices, kernel_size, stride, padding, dilation, ceil_mode)"},
    .grad = {wrt("grad_output", [](Grad g, In<"indices"> places) { return gather_at_indices(g, places, 2); }),
             wrt("self", [](MetaOf<"self"> self) { return op<"zeros">(self.sizes, self.dtype, nullptr, self.device); })},
    .grad_name = "MaxPool2DWithIndicesBackwardBackward0",
});

}  // namespace
}  // namespace mt
