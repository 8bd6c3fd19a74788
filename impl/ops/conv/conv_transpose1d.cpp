// conv_transpose1d: the adjoint of a convolution over one dimension.
#include "dispatch/autocast.h"
#include "rules/convolution.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"conv_transpose1d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=[1], SymInt[1] "
               "padding=[0], SymInt[1] "
               "output_padding=[0], SymInt groups=1, SymInt[1] dilation=[1]) -> Tensor"},
    .forms = function,
    .doc = "The adjoint of a convolution over one dimension.",
    .composite = [](const Tensor& input, const Tensor& weight, const Tensor& bias, IntList stride, IntList padding,
                    IntList output_padding, int64_t groups, IntList dilation) -> Tensor {
      return convolve_nd("conv_transpose1d", 1, input, weight, bias, stride, padding, dilation, true, output_padding, groups);
    },
    .autocast = everywhere(Autocast::lower_precision),
});

}  // namespace
}  // namespace mt
