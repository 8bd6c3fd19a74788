// max_pool1d_with_indices: the largest element of each window of a line, and its place.
#include "rules/lines.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"max_pool1d_with_indices(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=[0], int[1] "
               "dilation=[1], bool ceil_mode=False) "
               "-> (Tensor, Tensor)"},
    .forms = function,
    .doc = "The largest element of each window of a line, and its place.",
    .composite = [](const Tensor& self, IntList kernel, IntList stride, IntList padding, IntList dilation,
                    bool ceil_mode) -> Tensors<2> {
      const IntList step = stride.empty() ? kernel : stride;
      check_lines(self, "max_pool1d");
      const int64_t k = one_int(kernel, "max_pool1d", "kernel_size"), s = one_int(step, "max_pool1d", "stride"),
                    p = one_int(padding, "max_pool1d", "padding"), d = one_int(dilation, "max_pool1d", "dilation");
      Tensors<2> out = op<"max_pool2d_with_indices", Tensors<2>>(
          op<"unsqueeze">(self, -2), IntList{1, k}, IntList{1, s}, IntList{0, p}, IntList{1, d}, ceil_mode);
      return {{op<"squeeze">(out[0], -2), op<"squeeze">(out[1], -2)}};
    },
});

}  // namespace
}  // namespace mt
