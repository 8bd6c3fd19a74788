// conv1d: convolution over one dimension.
#include "rules/conv/convolution.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"conv1d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=[1], SymInt[1] padding=[0], "
               "SymInt[1] dilation=[1], "
               "SymInt groups=1) -> Tensor",
               "conv1d.padding(Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=[1], str "
               "padding=\"valid\", SymInt[1] "
               "dilation=[1], SymInt groups=1) -> Tensor"},
    .forms = function,
    .doc = R"(Convolves signals over one dimension: a cross-correlation, as all of deep learning has it.

Each output element is the bias plus the sum of products of a kernel with a window of the input; the
kernel is not reversed. Along each dimension the output has
``floor((size + 2 * padding - dilation * (kernel - 1) - 1) / stride) + 1`` elements. With
``padding="same"`` the sizes stay; where the two sides cannot be equal the end gets the one zero
more, and the stride must be 1.

Args:
    input (Tensor): shape ``(N, I, L)`` or ``(I, L)``.
    weight (Tensor): kernels; shape ``(O, I / groups, K)``; dtype of `input`.
    bias (Tensor, optional): shape ``(O,)``.
    stride (int or tuple of int): distance of windows. Default: ``1``.
    padding (int or tuple of int, or str): zeros on both sides, ``"valid"`` (none) or ``"same"``.
        Default: ``0``.
    dilation (int or tuple of int): distance of kernel elements. Default: ``1``.
    groups (int): groups of channels that are convolved separately; divides I and O. Default: ``1``.

Returns:
    Tensor: shape ``(N, O, L')``, without N where `input` has none.

Raises:
    RuntimeError: when dtypes, channels or sizes do not fit, or the kernel is larger than the padded
        input.

Example:
    >>> x = torch.tensor([[[1.0, 2.0, 3.0, 4.0]]])
    >>> torch.conv1d(x, torch.tensor([[[1.0, -1.0]]]))
    tensor([[[-1., -1., -1.]]])
    >>> torch.conv1d(x, torch.ones(1, 1, 3), padding="same")
    tensor([[[3., 6., 9., 7.]]]))",
    .composite = [](const Tensor& input, const Tensor& weight, const Tensor& bias, IntList stride, IntList padding, IntList dilation,
                    int64_t groups) -> Tensor {
      return convolve_nd("conv1d", 1, input, weight, bias, stride, padding, dilation, false, Dims(1, 0), groups);
    },
    .autocast = everywhere(Autocast::lower_precision),
    .overloads = {overload("padding",
                           {
                               .composite = [](const Tensor& input, const Tensor& weight, const Tensor& bias, IntList stride, Text padding,
                                               IntList dilation, int64_t groups) -> Tensor {
                                 return convolve_nd("conv1d", 1, input, weight, bias, stride, padding, dilation, groups);
                               },
                           })},
});

}  // namespace
}  // namespace mt
