// conv3d: convolution over three dimensions.
#include "rules/conv/convolution.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"conv3d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[3] stride=[1, 1, 1], SymInt[3] "
               "padding=[0, 0, 0], SymInt[3] dilation=[1, 1, 1], "
               "SymInt groups=1) -> Tensor",
               "conv3d.padding(Tensor input, Tensor weight, Tensor? bias=None, SymInt[3] stride=[1, 1, 1], str "
               "padding=\"valid\", SymInt[3] "
               "dilation=[1, 1, 1], SymInt groups=1) -> Tensor"},
    .forms = function,
    .doc = R"(Convolves volumes over three dimensions: a cross-correlation, as all of deep learning has it.

Each output element is the bias plus the sum of products of a kernel with a window of the input; the
kernel is not reversed. Along each dimension the output has
``floor((size + 2 * padding - dilation * (kernel - 1) - 1) / stride) + 1`` elements. With
``padding="same"`` the sizes stay; where the two sides cannot be equal the end gets the one zero
more, and the stride must be 1.

Args:
    input (Tensor): shape ``(N, I, D, H, W)`` or ``(I, D, H, W)``.
    weight (Tensor): kernels; shape ``(O, I / groups, KD, KH, KW)``; dtype of `input`.
    bias (Tensor, optional): shape ``(O,)``.
    stride (int or tuple of int): distance of windows. Default: ``1``.
    padding (int or tuple of int, or str): zeros on both sides, ``"valid"`` (none) or ``"same"``.
        Default: ``0``.
    dilation (int or tuple of int): distance of kernel elements. Default: ``1``.
    groups (int): groups of channels that are convolved separately; divides I and O. Default: ``1``.

Returns:
    Tensor: shape ``(N, O, D', H', W')``, without N where `input` has none.

Raises:
    RuntimeError: when dtypes, channels or sizes do not fit, or the kernel is larger than the padded
        input.

Example:
    >>> torch.conv3d(torch.ones(1, 1, 3, 3, 3), torch.ones(1, 1, 2, 2, 2)).unique()
    tensor([8.])
    >>> torch.conv3d(torch.zeros(2, 3, 4, 8, 8), torch.zeros(5, 3, 3, 3, 3), padding=1).shape
    torch.Size([2, 5, 4, 8, 8]))",
    .composite = [](const Tensor& input, const Tensor& weight, const Tensor& bias, IntList stride, IntList padding, IntList dilation,
                    int64_t groups) -> Tensor {
      return convolve_nd("conv3d", 3, input, weight, bias, stride, padding, dilation, false, Dims(3, 0), groups);
    },
    .autocast = everywhere(Autocast::lower_precision),
    .overloads = {overload("padding",
                           {
                               .composite = [](const Tensor& input, const Tensor& weight, const Tensor& bias, IntList stride, Text padding,
                                               IntList dilation, int64_t groups) -> Tensor {
                                 return convolve_nd("conv3d", 3, input, weight, bias, stride, padding, dilation, groups);
                               },
                           })},
});

}  // namespace
}  // namespace mt
