// conv_transpose3d: the adjoint of a convolution over three dimensions.
#include "dispatch/autocast.h"
#include "rules/convolution.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"conv_transpose3d.input(Tensor input, Tensor weight, Tensor? bias=None, SymInt[3] stride=[1, 1, 1], "
               "SymInt[3] padding=[0, 0, 0], SymInt[3] "
               "output_padding=[0, 0, 0], SymInt groups=1, SymInt[3] dilation=[1, 1, 1]) -> Tensor"},
    .forms = function,
    .doc = "The adjoint of a convolution over three dimensions.",
    .composite = [](const Tensor& input, const Tensor& weight, const Tensor& bias, IntList stride, IntList padding,
                    IntList output_padding, int64_t groups, IntList dilation) -> Tensor {
      return convolve_nd("conv_transpose3d", 3, input, weight, bias, stride, padding, dilation, true, output_padding, groups);
    },
    .autocast = everywhere(Autocast::lower_precision),
});

}  // namespace
}  // namespace mt
