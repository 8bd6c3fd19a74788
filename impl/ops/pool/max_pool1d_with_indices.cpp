// max_pool1d_with_indices: the largest element of each window of a line, and its index.
#include "rules/conv/lines.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"max_pool1d_with_indices(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=[0], int[1] "
               "dilation=[1], bool ceil_mode=False) "
               "-> (Tensor, Tensor)"},
    .forms = function,
    .doc = R"(Takes the largest element of each window over one dimension, and its index.

Along each dimension there are
``floor((size + 2 * padding - dilation * (kernel - 1) - 1) / stride) + 1`` windows. Padding counts
as minus infinity. NaN counts as the largest; of equal elements the first is taken. The gradient
goes to the elements that were taken.

Args:
    self (Tensor): shape ``(N, C, L)`` or ``(C, L)``.
    kernel_size (int or tuple of int): sizes of a window.
    stride (int or tuple of int): distance of windows. Default: ``()``, `kernel_size`.
    padding (int or tuple of int): on both sides; at most half of the kernel. Default: ``0``.
    dilation (int or tuple of int): distance of the elements of a window. Default: ``1``.
    ceil_mode (bool): whether a last window may pass the padded end, so that sizes round up; a
        window must begin within the input or the padding before it. Default: ``False``.

Returns:
    (Tensor, Tensor): values, and int64 indices in the flattened line of the channel; shape of
    `self` with the numbers of windows at the end.

Raises:
    RuntimeError: when a number is out of range or the result would be empty.

Example:
    >>> F.max_pool1d_with_indices(torch.tensor([[1.0, 3.0, 2.0, 5.0]]), 2)
    (tensor([[3., 5.]]), tensor([[1, 3]])))",
    .composite = [](const Tensor& self, IntList kernel, IntList stride, IntList padding, IntList dilation, bool ceil_mode) -> Tensors<2> {
      const IntList step = stride.empty() ? kernel : stride;
      check_line_pool_input(self, "max_pool1d");
      const int64_t k = read_single_int(kernel, "max_pool1d", "kernel_size"), s = read_single_int(step, "max_pool1d", "stride"),
                    p = read_single_int(padding, "max_pool1d", "padding"), d = read_single_int(dilation, "max_pool1d", "dilation");
      Tensors<2> out = op<"max_pool2d_with_indices", Tensors<2>>(op<"unsqueeze">(self, -2), IntList{1, k}, IntList{1, s}, IntList{0, p},
                                                                 IntList{1, d}, ceil_mode);
      return {{op<"squeeze">(out[0], -2), op<"squeeze">(out[1], -2)}};
    },
});

}  // namespace
}  // namespace mt
