// avg_pool1d: the mean of each window of a line.
#include "rules/conv/lines.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"avg_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=[0], bool "
               "ceil_mode=False, bool count_include_pad=True) -> "
               "Tensor"},
    .forms = function,
    .doc = R"(Averages each window over one dimension.

Along each dimension there are ``floor((size + 2 * padding - kernel) / stride) + 1`` windows.

Args:
    self (Tensor): shape ``(N, C, L)`` or ``(C, L)``.
    kernel_size (int or tuple of int): sizes of a window.
    stride (int or tuple of int): distance of windows. Default: ``()``, `kernel_size`.
    padding (int or tuple of int): zeros on both sides; at most half of the kernel. Default: ``0``.
    ceil_mode (bool): whether a last window may pass the padded end, so that sizes round up; a
        window must begin within the input or the padding before it. Default: ``False``.
    count_include_pad (bool): whether the padding counts in the divisor. Default: ``True``.

Returns:
    Tensor: shape of `self` with the numbers of windows at the end.

Raises:
    RuntimeError: when a number is out of range or the result would be empty.

Example:
    >>> F.avg_pool1d(torch.tensor([[1.0, 2.0, 3.0, 4.0, 5.0]]), 2)
    tensor([[1.5000, 3.5000]]))",
    .composite = [](const Tensor& self, IntList kernel, IntList stride, IntList padding, bool ceil_mode, bool count_include_pad) -> Tensor {
      const IntList step = stride.empty() ? kernel : stride;
      check_line_pool_input(self, "avg_pool1d");
      const int64_t k = read_single_int(kernel, "avg_pool1d", "kernel_size"), s = read_single_int(step, "avg_pool1d", "stride"),
                    p = read_single_int(padding, "avg_pool1d", "padding");
      return op<"squeeze">(op<"avg_pool2d">(op<"unsqueeze">(self, -2), IntList{1, k}, IntList{1, s}, IntList{0, p}, ceil_mode,
                                            count_include_pad),
                           -2);
    },
});

}  // namespace
}  // namespace mt
