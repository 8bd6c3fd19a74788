// adaptive_avg_pool1d: means of as many windows of a line as are asked for.
#include "rules/lines.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"adaptive_avg_pool1d(Tensor self, int[1] output_size) -> Tensor"},
    .forms = function,
    .doc = "Means of as many windows of a line as are asked for.",
    .composite = [](const Tensor& self, IntList output_size) -> Tensor {
      check_lines(self, "adaptive_avg_pool1d");
      const int64_t size = one_int(output_size, "adaptive_avg_pool1d", "output_size");
      return op<"squeeze">(op<"adaptive_avg_pool2d">(op<"unsqueeze">(self, -2), IntList{1, size}), -2);
    },
});

}  // namespace
}  // namespace mt
