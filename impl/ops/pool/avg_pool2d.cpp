// avg_pool2d: the mean of each window over two dimensions.
#include "rules/pool/pooling.h"
#include "vmap/rule.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"avg_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, bool ceil_mode=False, "
               "bool count_include_pad=True, int? "
               "divisor_override=None) -> Tensor"},
    .forms = function | out,
    .doc = R"(Averages each window over two dimensions.

Along each dimension there are ``floor((size + 2 * padding - kernel) / stride) + 1`` windows.

Args:
    self (Tensor): shape ``(N, C, H, W)`` or ``(C, H, W)``.
    kernel_size (int or tuple of int): sizes of a window.
    stride (int or tuple of int): distance of windows. Default: ``()``, `kernel_size`.
    padding (int or tuple of int): zeros on both sides; at most half of the kernel. Default: ``0``.
    ceil_mode (bool): whether a last window may pass the padded end, so that sizes round up; a
        window must begin within the input or the padding before it. Default: ``False``.
    count_include_pad (bool): whether the padding counts in the divisor. Default: ``True``.
    divisor_override (int, optional): divisor of the sums; not 0. Default: ``None``, the number of
        elements.

Returns:
    Tensor: shape of `self` with the numbers of windows at the end.

Raises:
    RuntimeError: when a number is out of range or the result would be empty.

Example:
    >>> F.avg_pool2d(torch.arange(16.0).view(1, 4, 4), 2)
    tensor([[[ 2.5000,  4.5000],
             [10.5000, 12.5000]]]))",
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
    .out_policy = OutPolicy{.device_error = out_device_differs},
    .batch = batch_images<2>,
});

}  // namespace
}  // namespace mt
