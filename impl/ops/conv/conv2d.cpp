// conv2d: convolution over two dimensions.
#include "rules/conv/convolution.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"conv2d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=[1, 1], SymInt[2] padding=[0, "
               "0], SymInt[2] dilation=[1, 1], "
               "SymInt groups=1) -> Tensor",
               "conv2d.padding(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=[1, 1], str "
               "padding=\"valid\", SymInt[2] "
               "dilation=[1, 1], SymInt groups=1) -> Tensor"},
    .forms = function,
    .doc = R"(Convolves images over two dimensions: a cross-correlation, as all of deep learning has it.

Each output element is the bias plus the sum of products of a kernel with a window of the input; the
kernel is not reversed. Along each dimension the output has
``floor((size + 2 * padding - dilation * (kernel - 1) - 1) / stride) + 1`` elements. With
``padding="same"`` the sizes stay; where the two sides cannot be equal the end gets the one zero
more, and the stride must be 1.

Args:
    input (Tensor): shape ``(N, I, H, W)`` or ``(I, H, W)``.
    weight (Tensor): kernels; shape ``(O, I / groups, KH, KW)``; dtype of `input`.
    bias (Tensor, optional): shape ``(O,)``.
    stride (int or tuple of int): distance of windows. Default: ``1``.
    padding (int or tuple of int, or str): zeros on both sides, ``"valid"`` (none) or ``"same"``.
        Default: ``0``.
    dilation (int or tuple of int): distance of kernel elements. Default: ``1``.
    groups (int): groups of channels that are convolved separately; divides I and O. Default: ``1``.

Returns:
    Tensor: shape ``(N, O, H', W')``, without N where `input` has none.

Raises:
    RuntimeError: when dtypes, channels or sizes do not fit, or the kernel is larger than the padded
        input.

Example:
    >>> x = torch.arange(9.0).view(1, 1, 3, 3)
    >>> torch.conv2d(x, torch.ones(1, 1, 2, 2))
    tensor([[[[ 8., 12.],
              [20., 24.]]]])
    >>> w = torch.zeros(6, 2, 3, 3)
    >>> torch.conv2d(torch.zeros(1, 4, 8, 8), w, stride=2, padding=1, groups=2).shape
    torch.Size([1, 6, 4, 4]))",
    .composite = [](const Tensor& input, const Tensor& weight, const Tensor& bias, IntList stride, IntList padding, IntList dilation,
                    int64_t groups) -> Tensor {
      return convolve_nd("conv2d", 2, input, weight, bias, stride, padding, dilation, false, Dims(2, 0), groups);
    },
    .autocast = everywhere(Autocast::lower_precision),
    .overloads = {overload("padding",
                           {
                               .composite = [](const Tensor& input, const Tensor& weight, const Tensor& bias, IntList stride, Text padding,
                                               IntList dilation, int64_t groups) -> Tensor {
                                 return convolve_nd("conv2d", 2, input, weight, bias, stride, padding, dilation, groups);
                               },
                           })},
});

}  // namespace
}  // namespace mt
