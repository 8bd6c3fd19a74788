// avg_pool1d: the mean of each window of a line.
#include "rules/lines.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"avg_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=[0], bool "
               "ceil_mode=False, bool count_include_pad=True) -> "
               "Tensor"},
    .forms = function,
    .doc = "The mean of each window of a line.",
    .composite = [](const Tensor& self, IntList kernel, IntList stride, IntList padding, bool ceil_mode,
                    bool count_include_pad) -> Tensor {
      const IntList step = stride.empty() ? kernel : stride;
      check_lines(self, "avg_pool1d");
      const int64_t k = one_int(kernel, "avg_pool1d", "kernel_size"), s = one_int(step, "avg_pool1d", "stride"),
                    p = one_int(padding, "avg_pool1d", "padding");
      return op<"squeeze">(op<"avg_pool2d">(op<"unsqueeze">(self, -2), IntList{1, k}, IntList{1, s}, IntList{0, p},
                                            ceil_mode, count_include_pad),
                           -2);
    },
});

}  // namespace
}  // namespace mt
