// slow_conv3d: a plain convolution of volumes.
#include "rules/conv/slow_convolution.h"

namespace mt {
namespace {

constexpr auto compute_slow_conv3d = [](const Tensor& self, const Tensor& weight, IntList kernel, const Tensor& bias, IntList stride,
                                        IntList padding) -> Tensor {
  check(self.dim() == 5, "non-empty 5D input tensor expected but got: {}", self.sizes());
  return slow_convolution(self, weight, bias, plain_convolution(kernel, stride, padding));
};

MT_OP(OpDef{
    .schema = {"slow_conv3d_forward(Tensor self, Tensor weight, SymInt[3] kernel_size, Tensor? bias, SymInt[3] stride, SymInt[3] "
               "padding) -> Tensor"},
    .forms = internal,
    .doc = "Computes a plain convolution of volumes; ``slow_conv3d`` calls it.",
    .module = "nn",
    .cpu = compute_slow_conv3d,
    .meta = compute_slow_conv3d,
    .grad = {wrt({"self", "weight", "bias"}, plain_convolution_gradients)},
    .grad_name = "SlowConv3DBackward0",
});
MT_OP(OpDef{
    .schema = {"slow_conv3d(Tensor self, Tensor weight, SymInt[3] kernel_size, Tensor? bias=None, SymInt[3] stride=1, SymInt[3] "
               "padding=0) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes a plain convolution of volumes: no groups, no dilation.

It computes what ``torch.conv3d`` computes, by a fixed method; use that one.

Args:
    self (Tensor): shape ``(N, I, D, H, W)``.
    weight (Tensor): kernels.
    kernel_size (int or tuple of int): sizes of the kernels, as `weight` has them.
    bias (Tensor, optional): one summand for each output channel.
    stride (int or tuple of int): distance of windows. Default: ``1``.
    padding (int or tuple of int): zeros on both sides. Default: ``0``.

Returns:
    Tensor: shape ``(N, O, D', H', W')``.

Raises:
    RuntimeError: when dimensions, channels or sizes do not fit.

Example:
    >>> x, w = torch.ones(1, 1, 2, 2, 2), torch.ones(1, 1, 2, 2, 2)
    >>> torch._C._nn.slow_conv3d(x, w, 2).flatten()
    tensor([8.]))",
    .module = "nn",
    .composite = [](const Tensor& self, const Tensor& weight, IntList kernel, const Tensor& bias, IntList stride,
                    IntList padding) -> Tensor { return op<"slow_conv3d_forward">(self, weight, kernel, bias, stride, padding); },
});

}  // namespace
}  // namespace mt
