// triplet_margin_loss: an anchor must be closer to the positive than to the negative, by a margin.
#include "rules/nn/loss.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"triplet_margin_loss(Tensor anchor, Tensor positive, Tensor negative, float margin=1.0, float p=2, float eps=1e-06, bool "
               "swap=False, int reduction=Mean) -> Tensor"},
    .forms = function,
    .doc = R"(Computes ``max(0, margin + d(anchor, positive) - d(anchor, negative))`` in the p-norm.

d is ``torch.pairwise_distance``. With `swap` the distance of positive and negative counts where it
is smaller than that of anchor and negative (Balntas et al., "Learning local feature descriptors
with triplets and shallow convolutional neural networks", BMVC 2016).
``torch.nn.functional.triplet_margin_loss`` takes `reduction` by name.

Args:
    anchor (Tensor): shape ``(N, D)`` or ``(D,)``.
    positive (Tensor): shape of `anchor`.
    negative (Tensor): shape of `anchor`.
    margin (float): wanted distance of distances. Default: ``1.0``.
    p (float): norm. Default: ``2``.
    eps (float): added to each difference. Default: ``1e-6``.
    swap (bool): whether the nearer of anchor and positive counts. Default: ``False``.
    reduction (int): 0 for each triplet, 1 for the mean, 2 for the sum. Default: ``1``.

Returns:
    Tensor: the loss; shape ``(N,)`` without reduction, otherwise no dimensions.

Raises:
    RuntimeError: when the numbers of dimensions differ.

Example:
    >>> a, p, n = torch.zeros(1, 2), torch.tensor([[3.0, 4.0]]), torch.tensor([[0.0, 1.0]])
    >>> F.triplet_margin_loss(a, p, n)
    tensor(5.0000))",
    .composite = [](const Tensor& anchor, const Tensor& positive, const Tensor& negative, double margin, double p, double eps, bool swap,
                    int64_t reduction) -> Tensor {
      check(anchor.dim() == positive.dim() && positive.dim() == negative.dim(),
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: anchor {}D, positive "
            "{}D, and negative {}D inputs",
            anchor.dim(), positive.dim(), negative.dim());
      Tensor near = op<"pairwise_distance">(anchor, positive, p, eps), far = op<"pairwise_distance">(anchor, negative, p, eps);
      if (swap) far = op<"minimum">(far, op<"pairwise_distance">(positive, negative, p, eps));
      return reduce_loss(op<"clamp_min">(margin + near - far, 0), reduction);
    },
    .autocast = everywhere(Autocast::fp32),
});

}  // namespace
}  // namespace mt
