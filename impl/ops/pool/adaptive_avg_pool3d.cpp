// adaptive_avg_pool3d: means of as many windows over three dimensions as are asked for.
#include "op.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"adaptive_avg_pool3d(Tensor self, SymInt[3] output_size) -> Tensor"},
    .forms = function | out,
    .doc = "Means of as many windows over three dimensions as are asked for.",
    .module = "nn",
    .composite = [](const Tensor& self, IntList output_size) -> Tensor {
      check(output_size.size() == 3, "adaptive_avg_pool3d: output_size must be 3");
      check(
          output_size[0] >= 0 && output_size[1] >= 0 && output_size[2] >= 0,
          "adaptive_avg_pool3d: elements of output_size must be greater than or equal to 0 but received {}{}, {},{}{}",
          "{", output_size[0], output_size[1], output_size[2], "}");
      if (!(output_size[0] == 1 && output_size[1] == 1 && output_size[2] == 1)) return op<"_adaptive_avg_pool3d">(self, output_size);
      Tensor mean = op<"mean.dim">(self, IntList{-1, -2, -3}, true);
      const MemoryFormat format = self.suggested_memory_format();
      if (self.dim() != 5 || format == MemoryFormat::contiguous) return mean;
      return op<"as_strided">(mean, mean.sizes(), strides_of_format(mean.sizes(), format));
    },
});

}  // namespace
}  // namespace mt
