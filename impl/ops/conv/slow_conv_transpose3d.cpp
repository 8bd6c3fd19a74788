// slow_conv_transpose3d: a transposed convolution of volumes.
#include "rules/slow_convolution.h"

namespace mt {
namespace {

constexpr auto forward = [](const Tensor& self, const Tensor& weight, IntList kernel, const Tensor& bias, IntList stride, IntList padding,
                            IntList output_padding, IntList dilation) -> Tensor {
  check(self.dim() == 4 || self.dim() == 5, "non-empty 4D or 5D (batch mode) tensor expected for input, but got: {}", self.sizes());
  return slow_convolution(self, weight, bias, {kernel, stride, padding, dilation, output_padding, true});
};

MT_OP(OpDef{
    .schema = {"slow_conv_transpose3d(Tensor self, Tensor weight, SymInt[3] kernel_size, Tensor? bias=None, SymInt[3] stride=1, "
               "SymInt[3] padding=0, SymInt[3] output_padding=0, SymInt[3] dilation=1) -> Tensor"},
    .forms = function | out,
    .doc = "A transposed convolution of volumes.",
    .module = "nn",
    .cpu = forward,
    .meta = forward,
    .grad = {wrt({"self", "weight", "bias"}, transposed_convolution_gradients)},
    .grad_name = "SlowConvTranspose3DBackward0",
});

}  // namespace
}  // namespace mt
