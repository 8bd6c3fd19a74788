// max_pool3d: the largest element of each window over three dimensions.
#include "op.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"max_pool3d(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, int[3] dilation=1, "
               "bool ceil_mode=False) -> Tensor"},
    .forms = function,
    .doc = "The largest element of each window over three dimensions.",
    .composite = [](const Tensor& self, IntList kernel, IntList stride, IntList padding, IntList dilation,
                    bool ceil_mode) -> Tensor {
      return op<"max_pool3d_with_indices", Tensors<2>>(self, kernel, stride, padding, dilation, ceil_mode)[0];
    },
});

}  // namespace
}  // namespace mt
