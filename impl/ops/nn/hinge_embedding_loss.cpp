// hinge_embedding_loss: the distance where the target is 1, max(0, margin - distance) where it is -1.
#include "rules/nn/loss.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"hinge_embedding_loss(Tensor self, Tensor target, float margin=1.0, int reduction=Mean) -> Tensor"},
    .forms = function,
    .doc = R"(Computes x where the target is 1 and ``max(0, margin - x)`` where it is -1.

x is a distance of a pair. Any other target gives the sum of both.
``torch.nn.functional.hinge_embedding_loss`` takes `reduction` by name.

Args:
    self (Tensor): distances.
    target (Tensor): 1 or -1; broadcastable with `self`.
    margin (float): distance from which a pair apart costs nothing. Default: ``1.0``.
    reduction (int): 0 for each element, 1 for the mean, 2 for the sum. Default: ``1``.

Returns:
    Tensor: the loss; shape of `self` without reduction, otherwise no dimensions.

Example:
    >>> F.hinge_embedding_loss(torch.tensor([0.25, 0.25]), torch.tensor([1, -1]))
    tensor(0.5000))",
    .composite = [](const Tensor& self, const Tensor& target, double margin, int64_t reduction) -> Tensor {
      Tensor zeros = op<"zeros_like">(self);
      Tensor lack = op<"clamp_min">(op<"full">(IntList{}, margin, self.dtype(), nullptr, self.device()) - self, 0);
      Tensor far = op<"where">(op<"ne">(target, 1), lack, zeros);
      Tensor near = op<"where">(op<"ne">(target, -1), self, zeros);
      return reduce_loss(far + near, reduction);
    },
    .autocast = everywhere(Autocast::fp32),
});

}  // namespace
}  // namespace mt
