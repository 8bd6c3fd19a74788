// slow_conv_transpose2d: a transposed convolution of images.
#include "rules/conv/slow_convolution.h"

namespace mt {
namespace {

constexpr auto compute_slow_conv_transpose2d = [](const Tensor& self, const Tensor& weight, IntList kernel, const Tensor& bias,
                                                  IntList stride, IntList padding, IntList output_padding, IntList dilation) -> Tensor {
  check(self.dim() == 3 || self.dim() == 4, "non-empty 3D or 4D input tensor expected but got a tensor with size {}", self.sizes());
  return slow_convolution(self, weight, bias, {kernel, stride, padding, dilation, output_padding, true});
};

MT_OP(OpDef{
    .schema = {"slow_conv_transpose2d(Tensor self, Tensor weight, SymInt[2] kernel_size, Tensor? bias=None, SymInt[2] stride=1, "
               "SymInt[2] padding=0, SymInt[2] output_padding=0, SymInt[2] dilation=1) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes a transposed convolution of images, without groups.

It computes what ``torch.conv_transpose2d`` computes, by a fixed method; use that one.

Args:
    self (Tensor): shape ``(N, I, H, W)`` or ``(I, H, W)``.
    weight (Tensor): kernels.
    kernel_size (int or tuple of int): sizes of the kernels, as `weight` has them.
    bias (Tensor, optional): one summand for each output channel.
    stride (int or tuple of int): distance of windows. Default: ``1``.
    padding (int or tuple of int): zeros on both sides. Default: ``0``.
    output_padding (int or tuple of int): elements more at the end of the output. Default: ``0``.
    dilation (int or tuple of int): distance of kernel elements. Default: ``1``.

Returns:
    Tensor: shape ``(N, O, H', W')``.

Raises:
    RuntimeError: when dimensions, channels or sizes do not fit.

Example:
    >>> x, w = torch.ones(1, 1, 1, 1), torch.ones(1, 1, 2, 2)
    >>> torch._C._nn.slow_conv_transpose2d(x, w, 2).shape
    torch.Size([1, 1, 2, 2]))",
    .module = "nn",
    .cpu = compute_slow_conv_transpose2d,
    .meta = compute_slow_conv_transpose2d,
    .grad = {wrt({"self", "weight", "bias"}, transposed_convolution_gradients)},
    .grad_name = "SlowConvTranspose2DBackward0",
});

}  // namespace
}  // namespace mt
