// conv_depthwise3d: a convolution of volumes with one group a channel; a kernel of other devices or layouts: the CPU has none, as in torch.
#include "rules/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"conv_depthwise3d(Tensor self, Tensor weight, SymInt[3] kernel_size, Tensor? bias, SymInt[3] stride, SymInt[3] padding, "
               "SymInt[3] dilation) -> Tensor"},
    .forms = function,
    .doc = "A convolution with one group a channel.",
    .module = "nn",
    .meta = [](const Tensor& self, const Tensor& weight, IntList, const Tensor& bias, IntList stride, IntList padding,
               IntList dilation) -> Tensor { return op<"conv3d">(self, weight, bias, stride, padding, dilation, self.size(1)); },
});

}  // namespace
}  // namespace mt
