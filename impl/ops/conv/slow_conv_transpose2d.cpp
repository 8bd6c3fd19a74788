// slow_conv_transpose2d: a transposed convolution of images.
#include "rules/slow_convolution.h"

namespace mt {
namespace {

constexpr auto forward = [](const Tensor& self, const Tensor& weight, IntList kernel, const Tensor& bias, IntList stride, IntList padding,
                            IntList output_padding, IntList dilation) -> Tensor {
  check(self.dim() == 3 || self.dim() == 4, "non-empty 3D or 4D input tensor expected but got a tensor with size {}", self.sizes());
  return slow_convolution(self, weight, bias, {kernel, stride, padding, dilation, output_padding, true});
};

MT_OP(OpDef{
    .schema = {"slow_conv_transpose2d(Tensor self, Tensor weight, SymInt[2] kernel_size, Tensor? bias=None, SymInt[2] stride=1, "
               "SymInt[2] padding=0, SymInt[2] output_padding=0, SymInt[2] dilation=1) -> Tensor"},
    .forms = function | out,
    .doc = "A transposed convolution of images.",
    .module = "nn",
    .cpu = forward,
    .meta = forward,
    .grad = {wrt({"self", "weight", "bias"}, transposed_convolution_gradients)},
    .grad_name = "SlowConvTranspose2DBackward0",
});

}  // namespace
}  // namespace mt
