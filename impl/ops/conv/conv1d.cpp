// conv1d: convolution over one dimension.
#include "dispatch/autocast.h"
#include "rules/convolution.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"conv1d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=[1], SymInt[1] padding=[0], "
               "SymInt[1] dilation=[1], "
               "SymInt groups=1) -> Tensor",
               "conv1d.padding(Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=[1], str "
               "padding=\"valid\", SymInt[1] "
               "dilation=[1], SymInt groups=1) -> Tensor"},
    .forms = function,
    .doc = "Convolution over one dimension.",
    .composite = [](const Tensor& input, const Tensor& weight, const Tensor& bias, IntList stride, IntList padding,
                    IntList dilation, int64_t groups) -> Tensor {
      return convolve_nd("conv1d", 1, input, weight, bias, stride, padding, dilation, false, Dims(1, 0), groups);
    },
    .autocast = everywhere(Autocast::lower_precision),
    .overloads = {overload("padding",
                           {
                               .composite = [](const Tensor& input, const Tensor& weight, const Tensor& bias,
                                               IntList stride, Text padding, IntList dilation,
                                               int64_t groups) -> Tensor {
                                 return convolve_nd("conv1d", 1, input, weight, bias, stride, padding, dilation,
                                                    groups);
                               },
                           })},
});

}  // namespace
}  // namespace mt
