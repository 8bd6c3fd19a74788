// fractional_max_pool3d: maximum pooling over windows that begin at pseudo-random places (Graham 2014).
#include "rules/fractional_pooling.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"fractional_max_pool3d(Tensor self, int[3] kernel_size, int[3] output_size, Tensor random_samples) -> "
               "(Tensor, Tensor)"},
    .forms = function | out,
    .doc = "Maximum pooling over windows that begin at pseudo-random places (Graham 2014).",
    .module = "nn",
    .rule = structured_exact([](Specs& out, const Tensor& self, IntList kernel, IntList output_size, const Tensor& samples) {
      fractional_max_pool_specs(out, self, 3, kernel, output_size, samples);
    }),
    .cpu = [](const Tensor& self, IntList kernel, IntList, const Tensor& samples, Tensor& values, Tensor& places) {
      fractional_max_pool("fractional_max_pool3d_out_frame", self, 3, kernel, samples, values, places);
    },
    .grad = {wrt("self",
                 [](Grad g, In<"self"> self, In<"kernel_size", IntList> kernel, In<"output_size", IntList> output_size,
                    Out<"result1"> places) {
                   return op<"fractional_max_pool3d_backward">(g, self, *kernel, *output_size, places);
                 })},
    .grad_name = "FractionalMaxPool3DBackward0",
});

}  // namespace
}  // namespace mt
