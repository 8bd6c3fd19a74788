// conv_transpose1d: the adjoint of a convolution over one dimension.
#include "rules/conv/convolution.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"conv_transpose1d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=[1], SymInt[1] "
               "padding=[0], SymInt[1] "
               "output_padding=[0], SymInt groups=1, SymInt[1] dilation=[1]) -> Tensor"},
    .forms = function,
    .doc = R"(Computes the adjoint of a convolution of signals: what a convolution's gradient for its input is.

Each input element adds its multiple of the kernel to a window of the output. Along each dimension
the output has ``(size - 1) * stride - 2 * padding + dilation * (kernel - 1) + output_padding + 1``
elements (Zeiler et al., "Deconvolutional networks", CVPR 2010). It does not invert the convolution.

Args:
    input (Tensor): shape ``(N, I, L)`` or ``(I, L)``.
    weight (Tensor): kernels; shape ``(I, O / groups, K)``; dtype of `input`.
    bias (Tensor, optional): shape ``(O,)``.
    stride (int or tuple of int): distance of the windows in the output. Default: ``1``.
    padding (int or tuple of int): elements that are cut off on both sides of the output. Default:
        ``0``.
    output_padding (int or tuple of int): elements more at the end of the output; below the stride
        or the dilation. Default: ``0``.
    groups (int): groups of channels that are convolved separately; divides I and O. Default: ``1``.
    dilation (int or tuple of int): distance of kernel elements. Default: ``1``.

Returns:
    Tensor: shape ``(N, O, L')``, without N where `input` has none.

Raises:
    RuntimeError: when dtypes, channels or sizes do not fit, or `output_padding` is too large.

Example:
    >>> torch.conv_transpose1d(torch.tensor([[[1.0, 2.0]]]), torch.ones(1, 1, 2), stride=2)
    tensor([[[1., 1., 2., 2.]]]))",
    .composite = [](const Tensor& input, const Tensor& weight, const Tensor& bias, IntList stride, IntList padding, IntList output_padding,
                    int64_t groups, IntList dilation) -> Tensor {
      return convolve_nd("conv_transpose1d", 1, input, weight, bias, stride, padding, dilation, true, output_padding, groups);
    },
    .autocast = everywhere(Autocast::lower_precision),
});

}  // namespace
}  // namespace mt
