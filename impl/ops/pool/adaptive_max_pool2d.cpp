// adaptive_max_pool2d: max pooling with indices to a requested output size over two dimensions.
#include "rules/pool/adaptive_pooling.h"
#include "vmap/rule.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"adaptive_max_pool2d(Tensor self, int[2] output_size) -> (Tensor, Tensor)"},
    .forms = function | out,
    .form_overloads = {{"out", "out(out, indices)"}},
    .doc = R"(Takes the largest element of as many windows over two dimensions as are asked for.

Window i of ``o`` along a dimension of ``n`` elements goes from ``floor(i * n / o)`` to
``ceil((i + 1) * n / o)``. NaN counts as the largest; of equal elements the first is taken. The
gradient goes to the elements that were taken. The indices come with the values.

Args:
    self (Tensor): shape ``(N, C, H, W)`` or ``(C, H, W)``; a floating dtype.
    output_size (int or tuple of int): number of windows along each dimension.

Returns:
    (Tensor, Tensor): values, and int64 indices in the flattened plane of the channel; the sizes of
    `self` with `output_size` at the end.

Raises:
    RuntimeError: when `output_size` has another length or the input has another number of
        dimensions.

Example:
    >>> F.adaptive_max_pool2d(torch.arange(16.0).view(1, 4, 4), (2, 2))
    tensor([[[ 5.,  7.],
             [13., 15.]]]))",
    .module = "nn",
    .rule = structured_exact([](Specs& out, const Tensor& self, IntList output_size) {
      adaptive_max_pool_specs(out, self, 2, output_size);
    }),
    .cpu = [](const Tensor& self, IntList, Tensor& values,
              Tensor& places) { adaptive_max_pool("adaptive_max_pool2d", self, 2, values, places); },
    .npu = {"AdaptiveMaxPool2d"},
    .grad = {wrt("self",
                 [](Grad g, In<"self"> self, Out<"result1"> places) { return op<"adaptive_max_pool2d_backward">(g, self, places); })},
    .grad_name = "AdaptiveMaxPool2DBackward0",
    .batch = batch_images<2>,
});

}  // namespace
}  // namespace mt
