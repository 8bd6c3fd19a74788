// slow_conv_dilated3d: a dilated convolution of volumes.
#include "core/messages.h"
#include "rules/conv/slow_convolution.h"

namespace mt {
namespace {

constexpr auto compute_slow_conv_dilated3d = [](const Tensor& self, const Tensor& weight, IntList kernel, const Tensor& bias,
                                                IntList stride, IntList padding, IntList dilation) -> Tensor {
  check(self.dim() == 4 || self.dim() == 5, messages::input_must_be_4d_or_5d, self.dim());
  check(self.size(self.dim() - 4) == weight.size(1), messages::need_input_dimension_and_size, self.dim(), self.dim() - 4, weight.size(1),
        self.sizes());
  return slow_convolution(self, weight, bias, dilated_convolution(kernel, stride, padding, dilation));
};

MT_OP(OpDef{
    .schema = {"slow_conv_dilated3d(Tensor self, Tensor weight, SymInt[3] kernel_size, Tensor? bias=None, SymInt[3] stride=1, "
               "SymInt[3] padding=0, SymInt[3] dilation=1) -> Tensor"},
    .forms = function,
    .doc = R"(Computes a dilated convolution of volumes, without groups.

It computes what ``torch.conv3d`` computes, by a fixed method; use that one.

Args:
    self (Tensor): shape ``(N, I, D, H, W)`` or ``(I, D, H, W)``.
    weight (Tensor): kernels.
    kernel_size (int or tuple of int): sizes of the kernels, as `weight` has them.
    bias (Tensor, optional): one summand for each output channel.
    stride (int or tuple of int): distance of windows. Default: ``1``.
    padding (int or tuple of int): zeros on both sides. Default: ``0``.
    dilation (int or tuple of int): distance of kernel elements. Default: ``1``.

Returns:
    Tensor: shape ``(N, O, D', H', W')``.

Raises:
    RuntimeError: when dimensions, channels or sizes do not fit.

Example:
    >>> x, w = torch.ones(1, 1, 2, 2, 2), torch.ones(1, 1, 2, 2, 2)
    >>> torch._C._nn.slow_conv_dilated3d(x, w, 2).flatten()
    tensor([8.]))",
    .module = "nn",
    .cpu = compute_slow_conv_dilated3d,
    .meta = compute_slow_conv_dilated3d,
    .grad = {wrt({"self", "weight", "bias"}, dilated_convolution_gradients)},
    .grad_name = "SlowConvDilated3DBackward0",
});

}  // namespace
}  // namespace mt
