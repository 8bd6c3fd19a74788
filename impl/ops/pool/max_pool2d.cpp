// max_pool2d: the largest element of each window over two dimensions.
#include "op.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"max_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] dilation=1, "
               "bool ceil_mode=False) -> Tensor"},
    .forms = function,
    .doc = "The largest element of each window over two dimensions.",
    .composite = [](const Tensor& self, IntList kernel, IntList stride, IntList padding, IntList dilation,
                    bool ceil_mode) -> Tensor {
      return op<"max_pool2d_with_indices", Tensors<2>>(self, kernel, stride, padding, dilation, ceil_mode)[0];
    },
});

}  // namespace
}  // namespace mt
