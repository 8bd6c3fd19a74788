// conv3d: convolution over three dimensions.
#include "dispatch/autocast.h"
#include "rules/convolution.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"conv3d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[3] stride=[1, 1, 1], SymInt[3] "
               "padding=[0, 0, 0], SymInt[3] dilation=[1, 1, 1], "
               "SymInt groups=1) -> Tensor",
               "conv3d.padding(Tensor input, Tensor weight, Tensor? bias=None, SymInt[3] stride=[1, 1, 1], str "
               "padding=\"valid\", SymInt[3] "
               "dilation=[1, 1, 1], SymInt groups=1) -> Tensor"},
    .forms = function,
    .doc = "Convolution over three dimensions.",
    .composite = [](const Tensor& input, const Tensor& weight, const Tensor& bias, IntList stride, IntList padding,
                    IntList dilation, int64_t groups) -> Tensor {
      return convolve_nd("conv3d", 3, input, weight, bias, stride, padding, dilation, false, Dims(3, 0), groups);
    },
    .autocast = everywhere(Autocast::lower_precision),
    .overloads = {overload("padding",
                           {
                               .composite = [](const Tensor& input, const Tensor& weight, const Tensor& bias,
                                               IntList stride, Text padding, IntList dilation,
                                               int64_t groups) -> Tensor {
                                 return convolve_nd("conv3d", 3, input, weight, bias, stride, padding, dilation,
                                                    groups);
                               },
                           })},
});

}  // namespace
}  // namespace mt
