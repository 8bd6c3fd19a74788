// max_pool2d_with_indices: the largest element of each window over two dimensions, and its place in the plane.
#include "rules/pooling.h"
#include "vmap/rule.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"max_pool2d_with_indices(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] "
               "dilation=1, bool ceil_mode=False) -> "
               "(Tensor, Tensor)"},
    .forms = function | out,
    .doc = "The largest element of each window over two dimensions, and its place in the plane.",
    .module = "nn",
    .rule = structured_exact([](Specs& out, const Tensor& self, IntList kernel, IntList stride, IntList padding, IntList dilation,
                                bool ceil_mode) {
      max_pool_specs(out, self, max_window(2, kernel, stride, padding, dilation, ceil_mode));
    }),
    .cpu =
        [](const Tensor& self, IntList kernel, IntList stride, IntList padding, IntList dilation, bool ceil_mode, Tensor& values,
           Tensor& places) { max_pool("max_pool2d", self, max_window(2, kernel, stride, padding, dilation, ceil_mode), values, places); },
    .npu = {"MaxPool2dWithIndices"},
    .grad = {wrt("self",
                 [](Grad g, In<"self"> x, In<"kernel_size", IntList> kernel, In<"stride", IntList> stride, In<"padding", IntList> padding,
                    In<"dilation", IntList> dilation, In<"ceil_mode", bool> ceil_mode, Out<"result1"> places) {
                   return op<"max_pool2d_with_indices_backward">(g, x, *kernel, *stride, *padding, *dilation,
                                                                 *ceil_mode, places);
                 })},
    .grad_name = "MaxPool2DWithIndicesBackward0",
});

MT_BATCH("max_pool2d_with_indices", batch_images<2>);

}  // namespace
}  // namespace mt
