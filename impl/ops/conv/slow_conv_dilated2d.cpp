// slow_conv_dilated2d: a dilated convolution of images.
#include "core/messages.h"
#include "rules/conv/slow_convolution.h"

namespace mt {
namespace {

constexpr auto compute_slow_conv_dilated2d = [](const Tensor& self, const Tensor& weight, IntList kernel, const Tensor& bias,
                                                IntList stride, IntList padding, IntList dilation) -> Tensor {
  check(self.dim() == 3 || self.dim() == 4, messages::input_must_be_4d_or_5d, self.dim());
  check(self.size(self.dim() - 3) == weight.size(1), messages::need_input_dimension_and_size, self.dim(), self.dim() - 3, weight.size(1),
        self.sizes());
  return slow_convolution(self, weight, bias, dilated_convolution(kernel, stride, padding, dilation));
};

MT_OP(OpDef{
    .schema = {"slow_conv_dilated2d(Tensor self, Tensor weight, SymInt[2] kernel_size, Tensor? bias=None, SymInt[2] stride=1, "
               "SymInt[2] padding=0, SymInt[2] dilation=1) -> Tensor"},
    .forms = function,
    .doc = R"(Computes a dilated convolution of images, without groups.

It computes what ``torch.conv2d`` computes, by a fixed method; use that one.

Args:
    self (Tensor): shape ``(N, I, H, W)`` or ``(I, H, W)``.
    weight (Tensor): kernels.
    kernel_size (int or tuple of int): sizes of the kernels, as `weight` has them.
    bias (Tensor, optional): one summand for each output channel.
    stride (int or tuple of int): distance of windows. Default: ``1``.
    padding (int or tuple of int): zeros on both sides. Default: ``0``.
    dilation (int or tuple of int): distance of kernel elements. Default: ``1``.

Returns:
    Tensor: shape ``(N, O, H', W')``.

Raises:
    RuntimeError: when dimensions, channels or sizes do not fit.

Example:
    >>> x, w = torch.ones(1, 1, 2, 2), torch.ones(1, 1, 2, 2)
    >>> torch._C._nn.slow_conv_dilated2d(x, w, 2).flatten()
    tensor([4.]))",
    .module = "nn",
    .cpu = compute_slow_conv_dilated2d,
    .meta = compute_slow_conv_dilated2d,
    .grad = {wrt({"self", "weight", "bias"}, dilated_convolution_gradients)},
    .grad_name = "SlowConvDilated2DBackward0",
});

}  // namespace
}  // namespace mt
