// adaptive_avg_pool1d: average pooling to a requested output size over one dimension.
#include "rules/conv/lines.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"adaptive_avg_pool1d(Tensor self, int[1] output_size) -> Tensor"},
    .forms = function,
    .doc = R"(Averages as many windows over one dimension as are asked for.

Window i of ``o`` along a dimension of ``n`` elements goes from ``floor(i * n / o)`` to
``ceil((i + 1) * n / o)``; windows may overlap by one element. A size of 1 is the mean of all.

Args:
    self (Tensor): shape ``(N, C, L)`` or ``(C, L)``; a floating dtype.
    output_size (int or tuple of int): number of windows along each dimension.

Returns:
    Tensor: the sizes of `self` with `output_size` at the end.

Raises:
    RuntimeError: when `output_size` is negative or the input has another number of dimensions.

Example:
    >>> F.adaptive_avg_pool1d(torch.tensor([[1.0, 2.0, 3.0, 4.0]]), 2)
    tensor([[1.5000, 3.5000]]))",
    .composite = [](const Tensor& self, IntList output_size) -> Tensor {
      check_line_pool_input(self, "adaptive_avg_pool1d");
      const int64_t size = read_single_int(output_size, "adaptive_avg_pool1d", "output_size");
      return op<"squeeze">(op<"adaptive_avg_pool2d">(op<"unsqueeze">(self, -2), IntList{1, size}), -2);
    },
});

}  // namespace
}  // namespace mt
