// thnn_conv2d: a plain convolution of images.
#include "rules/slow_convolution.h"

namespace mt {
namespace {

constexpr auto forward = [](const Tensor& self, const Tensor& weight, IntList kernel, const Tensor& bias, IntList stride,
                            IntList padding) -> Tensor {
  check(self.dim() == 4, "Expected 4D input tensor, but got: {}", self.sizes());
  return slow_convolution(self, weight, bias, plain_convolution(kernel, stride, padding));
};

MT_OP(OpDef{
    .schema = {"_slow_conv2d_forward(Tensor self, Tensor weight, SymInt[2] kernel_size, Tensor? bias, SymInt[2] stride, SymInt[2] "
               "padding) -> Tensor"},
    .forms = internal,
    .doc = "A plain convolution of images.",
    .module = "nn",
    .cpu = forward,
    .meta = forward,
    .grad = {wrt({"self", "weight", "bias"}, plain_convolution_gradients)},
    .grad_name = "SlowConv2DBackward0",
});
MT_OP(OpDef{
    .schema = {"thnn_conv2d(Tensor self, Tensor weight, SymInt[2] kernel_size, Tensor? bias=None, SymInt[2] stride=1, SymInt[2] "
               "padding=0) -> Tensor"},
    .forms = function | out,
    .doc = "A plain convolution of images.",
    .module = "nn",
    .composite = [](const Tensor& self, const Tensor& weight, IntList kernel, const Tensor& bias, IntList stride,
                    IntList padding) -> Tensor { return op<"_slow_conv2d_forward">(self, weight, kernel, bias, stride, padding); },
});

}  // namespace
}  // namespace mt
