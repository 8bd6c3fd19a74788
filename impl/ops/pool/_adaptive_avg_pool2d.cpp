// _adaptive_avg_pool2d: average pooling to a requested output size over two dimensions.
#include "rules/form/exact_out.h"
#include "rules/pool/adaptive_pooling.h"
#include "vmap/rule.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_adaptive_avg_pool2d(Tensor self, SymInt[2] output_size) -> Tensor"},
    .forms = function,
    .doc = "Averages as many windows over two dimensions as are asked for; ``adaptive_avg_pool2d`` calls it.",
    .rule = structured_exact([](Specs& out, const Tensor& self, IntList output_size) {
      adaptive_avg_pool_specs(out, self, 2, output_size);
    }),
    .cpu = [](const Tensor& self, IntList, Tensor& out) { adaptive_avg_pool("adaptive_avg_pool2d", self, 2, out); },
    .npu = {"AdaptiveAvgPool2d"},
    .grad = {wrt("self", [](Grad g, In<"self"> self) { return op<"_adaptive_avg_pool2d_backward">(g, self); })},
    .grad_name = "AdaptiveAvgPool2DBackward0",
    .batch = batch_images<2>,
});

}  // namespace
}  // namespace mt
