// conv_depthwise3d: a convolution of volumes with one group per channel. As in torch, dense CPU tensors have no kernel.
#include "rules/form/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"conv_depthwise3d(Tensor self, Tensor weight, SymInt[3] kernel_size, Tensor? bias, SymInt[3] stride, SymInt[3] padding, "
               "SymInt[3] dilation) -> Tensor"},
    .forms = function,
    .doc = R"(Computes a convolution of volumes with one group for each channel; the CPU has no kernel for it.

It runs on meta tensors only: use ``torch.conv3d`` with `groups`.

Args:
    self (Tensor): shape ``(N, C, D, H, W)``.
    weight (Tensor): shape ``(O, 1, KD, KH, KW)``.
    kernel_size (tuple of int): sizes of the kernel.
    bias (Tensor or None): shape ``(O,)``.
    stride (tuple of int): distance of windows.
    padding (tuple of int): zeros on both sides.
    dilation (tuple of int): distance of kernel elements.

Returns:
    Tensor: shape ``(N, O, D', H', W')``.

Raises:
    NotImplementedError: on the CPU.

Example:
    >>> x, w = torch.ones(1, 2, 3, 3, 3), torch.ones(2, 1, 2, 2, 2)
    >>> torch.conv3d(x, w, groups=2).shape  # what to call instead
    torch.Size([1, 2, 2, 2, 2]))",
    .module = "nn",
    .meta = [](const Tensor& self, const Tensor& weight, IntList, const Tensor& bias, IntList stride, IntList padding,
               IntList dilation) -> Tensor { return op<"conv3d">(self, weight, bias, stride, padding, dilation, self.size(1)); },
});

}  // namespace
}  // namespace mt
