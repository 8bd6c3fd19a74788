// max_pool3d_with_indices: the largest element of each window over three dimensions, and its index in the volume.
#include "rules/pool/pooling.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"max_pool3d_with_indices(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, int[3] "
               "dilation=1, bool ceil_mode=False) -> "
               "(Tensor, Tensor)"},
    .forms = function | out,
    .form_overloads = {{"out", "out(out, indices)"}},
    .doc = R"(Takes the largest element of each window over three dimensions, and its index.

Along each dimension there are
``floor((size + 2 * padding - dilation * (kernel - 1) - 1) / stride) + 1`` windows. Padding counts
as minus infinity. NaN counts as the largest; of equal elements the first is taken. The gradient
goes to the elements that were taken.

Args:
    self (Tensor): shape ``(N, C, D, H, W)`` or ``(C, D, H, W)``.
    kernel_size (int or tuple of int): sizes of a window.
    stride (int or tuple of int): distance of windows. Default: ``()``, `kernel_size`.
    padding (int or tuple of int): on both sides; at most half of the kernel. Default: ``0``.
    dilation (int or tuple of int): distance of the elements of a window. Default: ``1``.
    ceil_mode (bool): whether a last window may pass the padded end, so that sizes round up; a
        window must begin within the input or the padding before it. Default: ``False``.

Returns:
    (Tensor, Tensor): values, and int64 indices in the flattened volume of the channel; shape of
    `self` with the numbers of windows at the end.

Raises:
    RuntimeError: when a number is out of range or the result would be empty.

Example:
    >>> F.max_pool3d_with_indices(torch.arange(8.0).view(1, 2, 2, 2), 2)
    (tensor([[[[7.]]]]), tensor([[[[7]]]])))",
    .module = "nn",
    .rule = structured_exact([](Specs& out, const Tensor& self, IntList kernel, IntList stride, IntList padding, IntList dilation,
                                bool ceil_mode) { max_pool_specs(out, self, max_window(3, kernel, stride, padding, dilation, ceil_mode)); },
                             {.dtype_text = "expected scalar type {} but found {}"}),
    .cpu =
        [](const Tensor& self, IntList kernel, IntList stride, IntList padding, IntList dilation, bool ceil_mode, Tensor& values,
           Tensor& places) { max_pool("max_pool3d", self, max_window(3, kernel, stride, padding, dilation, ceil_mode), values, places); },
    .npu = {"MaxPool3dWithArgmax(self, kernel_size, stride, padding, dilation, ceil_mode, out, out:int32)"},
    .grad = {wrt("self",
                 [](Grad g, In<"self"> x, In<"kernel_size", IntList> kernel, In<"stride", IntList> stride, In<"padding", IntList> padding,
                    In<"dilation", IntList> dilation, In<"ceil_mode", bool> ceil_mode, Out<"result1"> places) {
                   return op<"max_pool3d_with_indices_backward">(g, x, *kernel, *stride, *padding, *dilation, *ceil_mode, places);
                 })},
    .grad_name = "MaxPool3DWithIndicesBackward0",
});

}  // namespace
}  // namespace mt
