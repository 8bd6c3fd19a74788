// _adaptive_avg_pool2d_backward: distributes each result's gradient evenly to its window.
#include "rules/form/exact_out.h"
#include "rules/pool/adaptive_pooling.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_adaptive_avg_pool2d_backward(Tensor grad_output, Tensor self) -> Tensor"},
    .doc = "Computes the gradient of ``adaptive_avg_pool2d``: a share for each element of a window.",
    .rule = structured_exact([](Specs& out, const Tensor& grad, const Tensor& self) {
      adaptive_avg_pool_backward_specs(out, grad, self, 2);
    }),
    .cpu = [](const Tensor& grad, const Tensor&, Tensor& out) { adaptive_avg_pool_backward("adaptive_avg_pool2d_backward", grad, 2, out); },
    .npu = {"AdaptiveAvgPool2dBackward"},
    .grad = {wrt("grad_output",
                 [](Grad g, MetaOf<"grad_output"> grad) { return op<"_adaptive_avg_pool2d">(g, IntList(grad.sizes.end() - 2, 2)); }),
             wrt("self", [](MetaOf<"self"> self) { return op<"zeros">(self.sizes, self.dtype, nullptr, self.device); })},
    .grad_name = "AdaptiveAvgPool2DBackwardBackward0",
});

}  // namespace
}  // namespace mt
