// adaptive_max_pool2d_backward: adds each result's gradient to the element that was the maximum.
#include "rules/pool/adaptive_pooling.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"adaptive_max_pool2d_backward(Tensor grad_output, Tensor self, Tensor indices) -> Tensor"},
    .doc = "Computes the gradient of ``adaptive_max_pool2d``: it goes to the elements that were taken.",
    .rule = structured_exact([](Specs& out, const Tensor& grad, const Tensor& self, const Tensor& places) {
      adaptive_max_pool_backward_specs(out, grad, self, places, 2);
    }),
    .cpu = [](const Tensor& grad, const Tensor&, const Tensor& places,
              Tensor& out) { add_at_indices("adaptive_max_pool2d_backward", grad, places, 2, out); },
    .npu = {"AdaptiveMaxPool2dBackward"},
    .grad = {wrt("grad_output", [](Grad g, In<"indices"> places) { return gather_at_indices(g, places, 2); }),
             wrt("self", [](MetaOf<"self"> self) { return op<"zeros">(self.sizes, self.dtype, nullptr, self.device); })},
    .grad_name = "AdaptiveMaxPool2DBackwardBackward0",
});

}  // namespace
}  // namespace mt
