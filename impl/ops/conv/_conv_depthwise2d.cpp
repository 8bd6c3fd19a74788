// _conv_depthwise2d: a convolution of images with one group per channel. As in torch, dense CPU tensors have no kernel.
#include "rules/form/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_conv_depthwise2d(Tensor self, Tensor weight, SymInt[2] kernel_size, Tensor? bias, SymInt[2] stride, SymInt[2] padding, "
               "SymInt[2] dilation) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes a convolution of images with one group for each channel; the CPU has no kernel for it.

It runs on meta tensors only: use ``torch.conv2d`` with `groups`.)",
    .module = "nn",
    .meta = [](const Tensor& self, const Tensor& weight, IntList, const Tensor& bias, IntList stride, IntList padding,
               IntList dilation) -> Tensor { return op<"conv2d">(self, weight, bias, stride, padding, dilation, self.size(1)); },
});

}  // namespace
}  // namespace mt
