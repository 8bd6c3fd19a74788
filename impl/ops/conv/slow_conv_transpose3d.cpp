// slow_conv_transpose3d: a transposed convolution of volumes.
#include "rules/conv/slow_convolution.h"

namespace mt {
namespace {

constexpr auto compute_slow_conv_transpose3d = [](const Tensor& self, const Tensor& weight, IntList kernel, const Tensor& bias,
                                                  IntList stride, IntList padding, IntList output_padding, IntList dilation) -> Tensor {
  check(self.dim() == 4 || self.dim() == 5, "non-empty 4D or 5D (batch mode) tensor expected for input, but got: {}", self.sizes());
  return slow_convolution(self, weight, bias, {kernel, stride, padding, dilation, output_padding, true});
};

MT_OP(OpDef{
    .schema = {"slow_conv_transpose3d(Tensor self, Tensor weight, SymInt[3] kernel_size, Tensor? bias=None, SymInt[3] stride=1, "
               "SymInt[3] padding=0, SymInt[3] output_padding=0, SymInt[3] dilation=1) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes a transposed convolution of volumes, without groups.

It computes what ``torch.conv_transpose3d`` computes, by a fixed method; use that one.

Args:
    self (Tensor): shape ``(N, I, D, H, W)`` or ``(I, D, H, W)``.
    weight (Tensor): kernels.
    kernel_size (int or tuple of int): sizes of the kernels, as `weight` has them.
    bias (Tensor, optional): one summand for each output channel.
    stride (int or tuple of int): distance of windows. Default: ``1``.
    padding (int or tuple of int): zeros on both sides. Default: ``0``.
    output_padding (int or tuple of int): elements more at the end of the output. Default: ``0``.
    dilation (int or tuple of int): distance of kernel elements. Default: ``1``.

Returns:
    Tensor: shape ``(N, O, D', H', W')``.

Raises:
    RuntimeError: when dimensions, channels or sizes do not fit.

Example:
    >>> x, w = torch.ones(1, 1, 1, 1, 1), torch.ones(1, 1, 2, 2, 2)
    >>> torch._C._nn.slow_conv_transpose3d(x, w, 2).shape
    torch.Size([1, 1, 2, 2, 2]))",
    .module = "nn",
    .cpu = compute_slow_conv_transpose3d,
    .meta = compute_slow_conv_transpose3d,
    .grad = {wrt({"self", "weight", "bias"}, transposed_convolution_gradients)},
    .grad_name = "SlowConvTranspose3DBackward0",
});

}  // namespace
}  // namespace mt
