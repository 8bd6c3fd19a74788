// avg_pool2d: the mean of each window over two dimensions.
#include "dispatch/out_words.h"
#include "rules/pooling.h"
#include "vmap/rule.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"avg_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, bool ceil_mode=False, "
               "bool count_include_pad=True, int? "
               "divisor_override=None) -> Tensor"},
    .forms = function | out,
    .doc = "The mean of each window over two dimensions.",
    .module = "nn",
    .rule = structured_exact([](Specs& out, const Tensor& self, IntList kernel, IntList stride, IntList padding, bool ceil_mode,
                                bool count_pad, std::optional<int64_t> divisor) {
      avg_pool_specs(out, self, averaging(2, kernel, stride, padding, ceil_mode, count_pad, divisor));
    }),
    .cpu = [](const Tensor& self, IntList kernel, IntList stride, IntList padding, bool ceil_mode, bool count_pad,
              std::optional<int64_t> divisor,
              Tensor& out) { avg_pool("avg_pool2d", self, averaging(2, kernel, stride, padding, ceil_mode, count_pad, divisor), out); },
    .npu = {"AvgPool2d(self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override?, 0, out)"},
    .grad = {wrt("self",
                 [](Grad g, In<"self"> x, In<"kernel_size", IntList> kernel, In<"stride", IntList> stride, In<"padding", IntList> padding,
                    In<"ceil_mode", bool> ceil_mode, In<"count_include_pad", bool> count,
                    In<"divisor_override", std::optional<int64_t>> divisor) {
                   return op<"avg_pool2d_backward">(g, x, *kernel, *stride, *padding, *ceil_mode, *count, *divisor);
                 })},
    .grad_name = "AvgPool2DBackward0",
});

MT_BATCH("avg_pool2d", batch_images<2>);

MT_OUT("avg_pool2d", .device = "Expected out tensor to have device {}, but got {} instead");

}  // namespace
}  // namespace mt
