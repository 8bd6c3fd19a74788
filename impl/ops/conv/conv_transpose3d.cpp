// conv_transpose3d: the adjoint of a convolution over three dimensions.
#include "rules/conv/convolution.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"conv_transpose3d.input(Tensor input, Tensor weight, Tensor? bias=None, SymInt[3] stride=[1, 1, 1], "
               "SymInt[3] padding=[0, 0, 0], SymInt[3] "
               "output_padding=[0, 0, 0], SymInt groups=1, SymInt[3] dilation=[1, 1, 1]) -> Tensor"},
    .forms = function,
    .doc = R"(Computes the adjoint of a convolution of volumes: what a convolution's gradient for its input is.

Each input element adds its multiple of the kernel to a window of the output. Along each dimension
the output has ``(size - 1) * stride - 2 * padding + dilation * (kernel - 1) + output_padding + 1``
elements (Zeiler et al., "Deconvolutional networks", CVPR 2010). It does not invert the convolution.

Args:
    input (Tensor): shape ``(N, I, D, H, W)`` or ``(I, D, H, W)``.
    weight (Tensor): kernels; shape ``(I, O / groups, KD, KH, KW)``; dtype of `input`.
    bias (Tensor, optional): shape ``(O,)``.
    stride (int or tuple of int): distance of the windows in the output. Default: ``1``.
    padding (int or tuple of int): elements that are cut off on both sides of the output. Default:
        ``0``.
    output_padding (int or tuple of int): elements more at the end of the output; below the stride
        or the dilation. Default: ``0``.
    groups (int): groups of channels that are convolved separately; divides I and O. Default: ``1``.
    dilation (int or tuple of int): distance of kernel elements. Default: ``1``.

Returns:
    Tensor: shape ``(N, O, D', H', W')``, without N where `input` has none.

Raises:
    RuntimeError: when dtypes, channels or sizes do not fit, or `output_padding` is too large.

Example:
    >>> x = torch.zeros(1, 4, 2, 2, 2)
    >>> torch.conv_transpose3d(x, torch.zeros(4, 3, 2, 2, 2), stride=2).shape
    torch.Size([1, 3, 4, 4, 4]))",
    .composite = [](const Tensor& input, const Tensor& weight, const Tensor& bias, IntList stride, IntList padding, IntList output_padding,
                    int64_t groups, IntList dilation) -> Tensor {
      return convolve_nd("conv_transpose3d", 3, input, weight, bias, stride, padding, dilation, true, output_padding, groups);
    },
    .autocast = everywhere(Autocast::lower_precision),
});

}  // namespace
}  // namespace mt
