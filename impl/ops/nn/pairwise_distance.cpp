// pairwise_distance: the p-norm of the difference of corresponding vectors.
#include "rules/form/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"pairwise_distance(Tensor x1, Tensor x2, float p=2, float eps=1e-06, bool keepdim=False) -> Tensor"},
    .forms = function,
    .doc = R"(Computes the p-norm of ``x1 - x2 + eps`` along the last dimension.

Args:
    x1 (Tensor): shape ``(*, D)``.
    x2 (Tensor): broadcastable with `x1`.
    p (float): norm. Default: ``2``.
    eps (float): added to each difference, so that the gradient of equal vectors exists. Default:
        ``1e-6``.

Returns:
    Tensor: the broadcast shape without the last dimension, or with size 1 for `keepdim`.

Example:
    >>> torch.pairwise_distance(torch.tensor([0.0, 0.0]), torch.tensor([3.0, 4.0]))
    tensor(5.0000))",
    .composite = [](const Tensor& x1, const Tensor& x2, double p, double eps, bool keepdim) -> Tensor {
      const int64_t last = std::max(x1.dim(), x2.dim()) - 1;
      return op<"norm.ScalarOpt_dim">(x1 - x2 + eps, p, IntList(&last, 1), keepdim);
    },
});

}  // namespace
}  // namespace mt
