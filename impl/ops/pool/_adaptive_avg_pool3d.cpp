// _adaptive_avg_pool3d: average pooling to a requested output size over three dimensions.
#include "rules/form/exact_out.h"
#include "rules/pool/adaptive_pooling.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_adaptive_avg_pool3d(Tensor self, SymInt[3] output_size) -> Tensor"},
    .forms = function,
    .doc = "Averages as many windows over three dimensions as are asked for; ``adaptive_avg_pool3d`` calls it.",
    .rule = structured_exact([](Specs& out, const Tensor& self, IntList output_size) {
      adaptive_avg_pool_specs(out, self, 3, output_size);
    }),
    .cpu = [](const Tensor& self, IntList, Tensor& out) { adaptive_avg_pool("adaptive_avg_pool3d_cpu", self, 3, out); },
    .npu = {"AdaptiveAvgPool3d"},
    .grad = {wrt("self", [](Grad g, In<"self"> self) { return op<"_adaptive_avg_pool3d_backward">(g, self); })},
    .grad_name = "AdaptiveAvgPool3DBackward0",
});

}  // namespace
}  // namespace mt
