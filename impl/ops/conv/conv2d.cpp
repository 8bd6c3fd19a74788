// conv2d: convolution over two dimensions.
#include "dispatch/autocast.h"
#include "rules/convolution.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"conv2d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=[1, 1], SymInt[2] padding=[0, "
               "0], SymInt[2] dilation=[1, 1], "
               "SymInt groups=1) -> Tensor",
               "conv2d.padding(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=[1, 1], str "
               "padding=\"valid\", SymInt[2] "
               "dilation=[1, 1], SymInt groups=1) -> Tensor"},
    .forms = function,
    .doc = "Convolution over two dimensions.",
    .composite = [](const Tensor& input, const Tensor& weight, const Tensor& bias, IntList stride, IntList padding,
                    IntList dilation, int64_t groups) -> Tensor {
      return convolve_nd("conv2d", 2, input, weight, bias, stride, padding, dilation, false, Dims(2, 0), groups);
    },
    .autocast = everywhere(Autocast::lower_precision),
    .overloads = {overload("padding",
                           {
                               .composite = [](const Tensor& input, const Tensor& weight, const Tensor& bias,
                                               IntList stride, Text padding, IntList dilation,
                                               int64_t groups) -> Tensor {
                                 return convolve_nd("conv2d", 2, input, weight, bias, stride, padding, dilation,
                                                    groups);
                               },
                           })},
});

}  // namespace
}  // namespace mt
