// adaptive_max_pool1d: max pooling with indices to a requested output size over one dimension.
#include "rules/conv/lines.h"
#include "rules/pool/adaptive_pooling.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"adaptive_max_pool1d(Tensor self, int[1] output_size) -> (Tensor, Tensor)"},
    .forms = function,
    .doc = R"(Takes the largest element of as many windows over one dimension as are asked for.

Window i of ``o`` along a dimension of ``n`` elements goes from ``floor(i * n / o)`` to
``ceil((i + 1) * n / o)``. NaN counts as the largest; of equal elements the first is taken. The
gradient goes to the elements that were taken. The indices come with the values.

Args:
    self (Tensor): shape ``(N, C, L)`` or ``(C, L)``; a floating dtype.
    output_size (int or tuple of int): number of windows along each dimension.

Returns:
    (Tensor, Tensor): values, and int64 indices in the flattened line of the channel; the sizes of
    `self` with `output_size` at the end.

Raises:
    RuntimeError: when `output_size` has another length or the input has another number of
        dimensions.

Example:
    >>> F.adaptive_max_pool1d(torch.tensor([[1.0, 2.0, 4.0, 3.0]]), 2, return_indices=True)
    (tensor([[2., 4.]]), tensor([[1, 2]])))",
    .composite = [](const Tensor& self, IntList output_size) -> Tensors<2> {
      check_line_pool_input(self, "adaptive_max_pool1d");
      const int64_t size = read_single_int(output_size, "adaptive_max_pool1d", "output_size");
      check_non_empty(self, 1, "input", "adaptive_max_pool", 1, "");
      Tensors<2> out = op<"adaptive_max_pool2d", Tensors<2>>(op<"unsqueeze">(self, -2), IntList{1, size});
      return {{op<"squeeze">(out[0], -2), op<"squeeze">(out[1], -2)}};
    },
});

}  // namespace
}  // namespace mt
