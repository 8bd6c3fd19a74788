// thnn_conv2d: a plain convolution of images.
#include "rules/conv/slow_convolution.h"

namespace mt {
namespace {

constexpr auto compute_thnn_conv2d = [](const Tensor& self, const Tensor& weight, IntList kernel, const Tensor& bias, IntList stride,
                                        IntList padding) -> Tensor {
  check(self.dim() == 4, "Expected 4D input tensor, but got: {}", self.sizes());
  return slow_convolution(self, weight, bias, plain_convolution(kernel, stride, padding));
};

MT_OP(OpDef{
    .schema = {"_slow_conv2d_forward(Tensor self, Tensor weight, SymInt[2] kernel_size, Tensor? bias, SymInt[2] stride, SymInt[2] "
               "padding) -> Tensor"},
    .forms = internal,
    .doc = "Computes a plain convolution of images; ``thnn_conv2d`` calls it.",
    .module = "nn",
    .cpu = compute_thnn_conv2d,
    .meta = compute_thnn_conv2d,
    .grad = {wrt({"self", "weight", "bias"}, plain_convolution_gradients)},
    .grad_name = "SlowConv2DBackward0",
});
MT_OP(OpDef{
    .schema = {"thnn_conv2d(Tensor self, Tensor weight, SymInt[2] kernel_size, Tensor? bias=None, SymInt[2] stride=1, SymInt[2] "
               "padding=0) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes a plain convolution of images: no groups, no dilation.

It computes what ``torch.conv2d`` computes, by a fixed method; use that one.

Args:
    self (Tensor): shape ``(N, I, H, W)``.
    weight (Tensor): kernels.
    kernel_size (int or tuple of int): sizes of the kernels, as `weight` has them.
    bias (Tensor, optional): one summand for each output channel.
    stride (int or tuple of int): distance of windows. Default: ``1``.
    padding (int or tuple of int): zeros on both sides. Default: ``0``.

Returns:
    Tensor: shape ``(N, O, H', W')``.

Raises:
    RuntimeError: when dimensions, channels or sizes do not fit.

Example:
    >>> x, w = torch.ones(1, 1, 2, 2), torch.ones(1, 1, 2, 2)
    >>> torch._C._nn.thnn_conv2d(x, w, 2).flatten()
    tensor([4.]))",
    .module = "nn",
    .composite = [](const Tensor& self, const Tensor& weight, IntList kernel, const Tensor& bias, IntList stride,
                    IntList padding) -> Tensor { return op<"_slow_conv2d_forward">(self, weight, kernel, bias, stride, padding); },
});

}  // namespace
}  // namespace mt
