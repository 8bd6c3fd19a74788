// max_pool3d: the largest element of each window over three dimensions.
#include "definition/op.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"max_pool3d(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, int[3] dilation=1, "
               "bool ceil_mode=False) -> Tensor"},
    .forms = function,
    .doc = R"(Takes the largest element of each window over three dimensions.

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
    Tensor: shape of `self` with the numbers of windows at the end.

Raises:
    RuntimeError: when a number is out of range or the result would be empty.

Example:
    >>> F.max_pool3d(torch.ones(1, 2, 4, 4, 4), 2).shape
    torch.Size([1, 2, 2, 2, 2]))",
    .composite = [](const Tensor& self, IntList kernel, IntList stride, IntList padding, IntList dilation, bool ceil_mode) -> Tensor {
      return op<"max_pool3d_with_indices", Tensors<2>>(self, kernel, stride, padding, dilation, ceil_mode)[0];
    },
});

}  // namespace
}  // namespace mt
