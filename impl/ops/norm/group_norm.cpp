// group_norm: groups of channels normalised.
#include "rules/form/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"group_norm(Tensor input, int num_groups, Tensor? weight=None, Tensor? bias=None, float eps=1e-05, bool "
               "cudnn_enabled=True) -> Tensor"},
    .forms = function,
    .doc = R"(Normalises groups of channels of each sample, then scales and shifts each channel.

y = (x - mean) / sqrt(var + eps) * weight + bias, where mean and biased variance are those of one
sample's C / num_groups channels (Wu and He, "Group Normalization", 2018).

Args:
    input (Tensor): ``(N, C, ...)``; floating.
    num_groups (int): the number of groups, a divisor of C.
    weight, bias (Tensor, optional): scale and shift of each channel, ``(C,)``. Default:
        ``None``.
    eps (float): what is added to the variance. Default: ``1e-05``.
    cudnn_enabled (bool): without effect here. Default: ``True``.

Returns:
    Tensor: the shape and dtype of `input`.

Raises:
    RuntimeError: when C is no multiple of `num_groups`, or a parameter's size is not C.

Example:
    >>> torch.group_norm(torch.tensor([[1.0, 3.0, 10.0, 30.0]]), 2)
    tensor([[-1.0000,  1.0000, -1.0000,  1.0000]]))",
    .composite = [](const Tensor& input, int64_t groups, const Tensor& weight, const Tensor& bias, double eps, bool) -> Tensor {
      const int64_t c = input.size(wrap_dim(1, input.dim())), n = input.size(0);
      int64_t inner = 1;
      for (int64_t d = 2; d < input.dim(); ++d) inner *= input.size(d);
      const MemoryFormat format = input.suggested_memory_format();
      const Tensor x = input.is_contiguous(format) ? input : op<"contiguous">(input, format);
      return op<"native_group_norm", Tensors<3>>(x, weight, bias, n, c, inner, groups, eps)[0];
    },
    .autocast = everywhere(Autocast::fp32),
});

}  // namespace
}  // namespace mt
