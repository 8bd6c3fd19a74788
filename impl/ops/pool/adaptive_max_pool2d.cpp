// adaptive_max_pool2d: the largest elements of as many windows over two dimensions as are asked for, and their places.
#include "rules/adaptive_pooling.h"
#include "vmap/rule.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"adaptive_max_pool2d(Tensor self, int[2] output_size) -> (Tensor, Tensor)"},
    .forms = function | out,
    .doc = "The largest elements of as many windows over two dimensions as are asked for, and their places.",
    .module = "nn",
    .rule = structured_exact([](Specs& out, const Tensor& self, IntList output_size) {
      adaptive_max_pool_specs(out, self, 2, output_size);
    }),
    .cpu = [](const Tensor& self, IntList, Tensor& values,
              Tensor& places) { adaptive_max_pool("adaptive_max_pool2d", self, 2, values, places); },
    .npu = {"AdaptiveMaxPool2d"},
    .grad = {wrt("self",
                 [](Grad g, In<"self"> self, Out<"result1"> places) { return op<"adaptive_max_pool2d_backward">(g, self, places); })},
    .grad_name = "AdaptiveMaxPool2DBackward0",
});

MT_BATCH("adaptive_max_pool2d", batch_images<2>);

}  // namespace
}  // namespace mt
