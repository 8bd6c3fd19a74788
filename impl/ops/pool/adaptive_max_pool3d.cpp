// adaptive_max_pool3d: the largest elements of as many windows over three dimensions as are asked for, and their places.
#include "rules/adaptive_pooling.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"adaptive_max_pool3d(Tensor self, int[3] output_size) -> (Tensor, Tensor)"},
    .forms = function | out,
    .doc = "The largest elements of as many windows over three dimensions as are asked for, and their places.",
    .module = "nn",
    .rule = structured_exact([](Specs& out, const Tensor& self, IntList output_size) {
      adaptive_max_pool_specs(out, self, 3, output_size);
    }),
    .cpu = [](const Tensor& self, IntList, Tensor& values,
              Tensor& places) { adaptive_max_pool("adaptive_max_pool3d_cpu", self, 3, values, places); },
    .npu = {"AdaptiveMaxPool3d(self, output_size, out, out:int32)"},
    .grad = {wrt("self",
                 [](Grad g, In<"self"> self, Out<"result1"> places) { return op<"adaptive_max_pool3d_backward">(g, self, places); })},
    .grad_name = "AdaptiveMaxPool3DBackward0",
});

}  // namespace
}  // namespace mt
