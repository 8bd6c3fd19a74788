// l1_loss: the absolute error.
#include "rules/nn/loss.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"l1_loss(Tensor self, Tensor target, int reduction=Mean) -> Tensor"},
    .forms = function,
    .doc = R"(Computes the absolute error ``|self - target|``.

``torch.nn.functional.l1_loss`` takes `reduction` by name. The gradient of an error of 0 is 0.

Args:
    self (Tensor): predictions.
    target (Tensor): targets; broadcastable with `self`.
    reduction (int): 0 for each element, 1 for the mean, 2 for the sum. Default: ``1``.

Returns:
    Tensor: the loss; the broadcast shape without reduction, otherwise no dimensions.

Example:
    >>> F.l1_loss(torch.tensor([1.0, 5.0]), torch.tensor([1.0, 2.0]))
    tensor(1.5000))",
    .module = "nn",
    .composite = [](const Tensor& x, const Tensor& y, int64_t reduction) -> Tensor { return reduce_loss(op<"abs">(x - y), reduction); },
    .autocast = everywhere(Autocast::fp32),
});

}  // namespace
}  // namespace mt
