// slow_conv3d: a plain convolution of volumes.
#include "rules/slow_convolution.h"

namespace mt {
namespace {

constexpr auto forward = [](const Tensor& self, const Tensor& weight, IntList kernel, const Tensor& bias, IntList stride,
                            IntList padding) -> Tensor {
  check(self.dim() == 5, "non-empty 5D input tensor expected but got: {}", self.sizes());
  return slow_convolution(self, weight, bias, plain_convolution(kernel, stride, padding));
};

MT_OP(OpDef{
    .schema = {"slow_conv3d_forward(Tensor self, Tensor weight, SymInt[3] kernel_size, Tensor? bias, SymInt[3] stride, SymInt[3] "
               "padding) -> Tensor"},
    .forms = internal,
    .doc = "A plain convolution of volumes.",
    .module = "nn",
    .cpu = forward,
    .meta = forward,
    .grad = {wrt({"self", "weight", "bias"}, plain_convolution_gradients)},
    .grad_name = "SlowConv3DBackward0",
});
MT_OP(OpDef{
    .schema = {"slow_conv3d(Tensor self, Tensor weight, SymInt[3] kernel_size, Tensor? bias=None, SymInt[3] stride=1, SymInt[3] "
               "padding=0) -> Tensor"},
    .forms = function | out,
    .doc = "A plain convolution of volumes.",
    .module = "nn",
    .composite = [](const Tensor& self, const Tensor& weight, IntList kernel, const Tensor& bias, IntList stride,
                    IntList padding) -> Tensor { return op<"slow_conv3d_forward">(self, weight, kernel, bias, stride, padding); },
});

}  // namespace
}  // namespace mt
