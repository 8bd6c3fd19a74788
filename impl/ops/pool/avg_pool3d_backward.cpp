// avg_pool3d_backward: distributes each result's gradient evenly to its window.
#include "rules/pool/pooling.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"avg_pool3d_backward(Tensor grad_output, Tensor self, int[3] kernel_size, int[3] stride, int[3] "
               "padding, bool ceil_mode, bool "
               "count_include_pad, int? divisor_override) -> Tensor"},
    .doc = "Computes the gradient of ``avg_pool3d``: a share for each element of a window.",
    .rule = structured_exact([](Specs& out, const Tensor& grad, const Tensor& self, IntList kernel, IntList stride, IntList padding,
                                bool ceil_mode, bool count_pad, std::optional<int64_t> divisor) {
      avg_pool_backward_specs(out, grad, self, averaging(3, kernel, stride, padding, ceil_mode, count_pad, divisor));
    }),
    .cpu =
        [](const Tensor& grad, const Tensor&, IntList kernel, IntList stride, IntList padding, bool ceil_mode, bool count_pad,
           std::optional<int64_t> divisor, Tensor& out) {
          avg_pool_backward("avg_pool3d_backward_out_frame", grad, averaging(3, kernel, stride, padding, ceil_mode, count_pad, divisor),
                            out);
        },
    .npu = {"AvgPool3dBackward(grad_output, self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override?)"},
    .grad = {wrt("grad_output",
                 [](Grad g, In<"kernel_size", IntList> kernel, In<"stride", IntList> stride, In<"padding", IntList> padding,
                    In<"ceil_mode", bool> ceil_mode, In<"count_include_pad", bool> count,
                    In<"divisor_override", std::optional<int64_t>> divisor) {
                   return op<"avg_pool3d">(g, *kernel, *stride, *padding, *ceil_mode, *count, *divisor);
                 }),
             wrt("self", [](MetaOf<"self"> self) { return op<"zeros">(self.sizes, self.dtype, nullptr, self.device); })},
    .grad_name = "AvgPool3DBackwardBackward0",
});

}  // namespace
}  // namespace mt
