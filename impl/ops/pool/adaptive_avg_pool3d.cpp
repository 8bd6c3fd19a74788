// adaptive_avg_pool3d: average pooling to a requested output size over three dimensions.
#include "definition/op.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"adaptive_avg_pool3d(Tensor self, SymInt[3] output_size) -> Tensor"},
    .forms = function | out,
    .doc = R"(Averages as many windows over three dimensions as are asked for.

Window i of ``o`` along a dimension of ``n`` elements goes from ``floor(i * n / o)`` to
``ceil((i + 1) * n / o)``; windows may overlap by one element. A size of 1 is the mean of all.

Args:
    self (Tensor): shape ``(N, C, D, H, W)`` or ``(C, D, H, W)``; a floating dtype.
    output_size (int or tuple of int): number of windows along each dimension.
        ``torch.nn.functional.adaptive_avg_pool3d`` also takes ``None`` for a size that stays.

Returns:
    Tensor: the sizes of `self` with `output_size` at the end.

Raises:
    RuntimeError: when `output_size` is negative or the input has another number of dimensions.

Example:
    >>> F.adaptive_avg_pool3d(torch.ones(1, 2, 4, 4, 4), 1).flatten()
    tensor([1., 1.]))",
    .module = "nn",
    .composite = [](const Tensor& self, IntList output_size) -> Tensor {
      check(output_size.size() == 3, "adaptive_avg_pool3d: output_size must be 3");
      check(output_size[0] >= 0 && output_size[1] >= 0 && output_size[2] >= 0,
            "adaptive_avg_pool3d: elements of output_size must be greater than or equal to 0 but received {}{}, {},{}{}", "{",
            output_size[0], output_size[1], output_size[2], "}");
      if (!(output_size[0] == 1 && output_size[1] == 1 && output_size[2] == 1)) return op<"_adaptive_avg_pool3d">(self, output_size);
      Tensor mean = op<"mean.dim">(self, IntList{-1, -2, -3}, true);
      const MemoryFormat format = self.suggested_memory_format();
      if (self.dim() != 5 || format == MemoryFormat::contiguous) return mean;
      return op<"as_strided">(mean, mean.sizes(), strides_of_format(mean.sizes(), format));
    },
    .out_policy = OutPolicy{.dtype_error = "expected dtype {2} for `output` but got dtype {3}", .takes_strides = true},
});

}  // namespace
}  // namespace mt
