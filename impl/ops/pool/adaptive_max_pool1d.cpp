// adaptive_max_pool1d: the largest elements of as many windows of a line as are asked for, and their places.
#include "rules/adaptive_pooling.h"
#include "rules/lines.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"adaptive_max_pool1d(Tensor self, int[1] output_size) -> (Tensor, Tensor)"},
    .forms = function,
    .doc = "The largest elements of as many windows of a line as are asked for, and their places.",
    .composite = [](const Tensor& self, IntList output_size) -> Tensors<2> {
      check_lines(self, "adaptive_max_pool1d");
      const int64_t size = one_int(output_size, "adaptive_max_pool1d", "output_size");
      check_non_empty(self, 1, "input", "adaptive_max_pool", 1, "");
      Tensors<2> out = op<"adaptive_max_pool2d", Tensors<2>>(op<"unsqueeze">(self, -2), IntList{1, size});
      return {{op<"squeeze">(out[0], -2), op<"squeeze">(out[1], -2)}};
    },
});

}  // namespace
}  // namespace mt
