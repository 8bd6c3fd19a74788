// max_pool3d_with_indices: the largest element of each window over three dimensions, and its place in the plane.
#include "rules/pooling.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"max_pool3d_with_indices(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, int[3] "
               "dilation=1, bool ceil_mode=False) -> "
               "(Tensor, Tensor)"},
    .forms = function | out,
    .doc = "The largest element of each window over three dimensions, and its place in the plane.",
    .module = "nn",
    .rule = structured_exact([](Specs& out, const Tensor& self, IntList kernel, IntList stride, IntList padding, IntList dilation,
                                bool ceil_mode) {
      max_pool_specs(out, self, max_window(3, kernel, stride, padding, dilation, ceil_mode));
    }),
    .cpu =
        [](const Tensor& self, IntList kernel, IntList stride, IntList padding, IntList dilation, bool ceil_mode, Tensor& values,
           Tensor& places) { max_pool("max_pool3d", self, max_window(3, kernel, stride, padding, dilation, ceil_mode), values, places); },
    .npu = {"MaxPool3dWithArgmax(self, kernel_size, stride, padding, dilation, ceil_mode, out, out:int32)"},
    .grad = {wrt("self",
                 [](Grad g, In<"self"> x, In<"kernel_size", IntList> kernel, In<"stride", IntList> stride, In<"padding", IntList> padding,
                    In<"dilation", IntList> dilation, In<"ceil_mode", bool> ceil_mode, Out<"result1"> places) {
                   return op<"max_pool3d_with_indices_backward">(g, x, *kernel, *stride, *padding, *dilation,
                                                                 *ceil_mode, places);
                 })},
    .grad_name = "MaxPool3DWithIndicesBackward0",
});

}  // namespace
}  // namespace mt
