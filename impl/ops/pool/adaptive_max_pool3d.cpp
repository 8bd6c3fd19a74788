// adaptive_max_pool3d: max pooling with indices to a requested output size over three dimensions.
#include "rules/pool/adaptive_pooling.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"adaptive_max_pool3d(Tensor self, int[3] output_size) -> (Tensor, Tensor)"},
    .forms = function | out,
    .form_overloads = {{"out", "out(out, indices)"}},
    .doc = R"(Takes the largest element of as many windows over three dimensions as are asked for.

Window i of ``o`` along a dimension of ``n`` elements goes from ``floor(i * n / o)`` to
``ceil((i + 1) * n / o)``. NaN counts as the largest; of equal elements the first is taken. The
gradient goes to the elements that were taken. The indices come with the values.

Args:
    self (Tensor): shape ``(N, C, D, H, W)`` or ``(C, D, H, W)``; a floating dtype.
    output_size (int or tuple of int): number of windows along each dimension.

Returns:
    (Tensor, Tensor): values, and int64 indices in the flattened volume of the channel; the sizes of
    `self` with `output_size` at the end.

Raises:
    RuntimeError: when `output_size` has another length or the input has another number of
        dimensions.

Example:
    >>> F.adaptive_max_pool3d(torch.ones(1, 2, 4, 4, 4), 1).flatten()
    tensor([1., 1.]))",
    .module = "nn",
    .rule = structured_exact([](Specs& out, const Tensor& self, IntList output_size) {
      adaptive_max_pool_specs(out, self, 3, output_size);
    }),
    .cpu = [](const Tensor& self, IntList, Tensor& values,
              Tensor& places) { adaptive_max_pool("adaptive_max_pool3d_cpu", self, 3, values, places); },
    .npu = {"AdaptiveMaxPool3d(self, output_size, out, out:int32)"},
    .grad = {wrt("self",
                 [](Grad g, In<"self"> self, Out<"result1"> places) { return op<"adaptive_max_pool3d_backward">(g, self, places); })},
    .grad_name = "AdaptiveMaxPool3DBackward0",
});

}  // namespace
}  // namespace mt
