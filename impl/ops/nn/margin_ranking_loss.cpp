// margin_ranking_loss: by how much two scores miss the requested order.
#include "rules/nn/loss.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"margin_ranking_loss(Tensor input1, Tensor input2, Tensor target, float margin=0.0, int reduction=Mean) -> Tensor"},
    .forms = function,
    .doc = R"(Computes ``max(0, -target * (input1 - input2) + margin)``: by how much two scores miss their order.

``torch.nn.functional.margin_ranking_loss`` takes `reduction` by name.

Args:
    input1 (Tensor): first scores.
    input2 (Tensor): second scores.
    target (Tensor): 1 where the first one shall be larger, -1 where the second one.
    margin (float): wanted distance. Default: ``0.0``.
    reduction (int): 0 for each pair, 1 for the mean, 2 for the sum. Default: ``1``.

Returns:
    Tensor: the loss; the broadcast shape without reduction, otherwise no dimensions.

Example:
    >>> F.margin_ranking_loss(torch.tensor([1.0]), torch.tensor([3.0]), torch.tensor([1.0]))
    tensor(2.))",
    .composite = [](const Tensor& a, const Tensor& b, const Tensor& target, double margin, int64_t reduction) -> Tensor {
      return reduce_loss(op<"clamp_min">(-target * (a - b) + margin, 0), reduction);
    },
    .autocast = everywhere(Autocast::fp32),
});

}  // namespace
}  // namespace mt
