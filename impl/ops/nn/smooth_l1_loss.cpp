// smooth_l1_loss: an error squared below beta, linear above.
#include "rules/nn/loss.h"

namespace mt {
namespace {

constexpr auto elementwise_loss = [](auto a, auto b, auto c) {
  const auto d = abs_(a - b);
  return d < c ? d * d / (2 * c) : d - c / 2;
};
MT_OP(OpDef{
    .schema = {"_smooth_l1_loss_each(Tensor self, Tensor target, float beta) -> Tensor"},
    .doc = "Computes the smooth L1 loss of each element.",
    .rule = pointwise(promoting),
    .cpu = elementwise<elementwise_loss, 3, dtypes::floating>("smooth_l1_cpu"),
});

constexpr auto compute_smooth_l1_loss = [](const Tensor& x, const Tensor& y, int64_t reduction, double beta) -> Tensor {
  check(beta >= 0, "smooth_l1_loss does not support negative values for beta.");
  BelowAutograd guard;
  return reduce_loss(op<"_smooth_l1_loss_each">(x, y, beta), reduction);
};
MT_OP(OpDef{
    .schema = {"smooth_l1_loss(Tensor self, Tensor target, int reduction=Mean, float beta=1.0) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes the smooth L1 loss: quadratic for small errors, absolute for large ones.

With the error e: ``e^2 / (2 beta)`` where ``|e| < beta``, ``|e| - beta / 2`` elsewhere (Girshick,
"Fast R-CNN", ICCV 2015, equation 3, for a beta of 1). A `beta` of 0 is the L1 loss.
``torch.nn.functional.smooth_l1_loss`` takes `reduction` by name.

Args:
    self (Tensor): predictions; a floating dtype.
    target (Tensor): targets; broadcastable with `self`.
    reduction (int): 0 for each element, 1 for the mean, 2 for the sum. Default: ``1``.
    beta (float): where the absolute part begins; not negative. Default: ``1.0``.

Returns:
    Tensor: the loss; the broadcast shape without reduction, otherwise no dimensions.

Raises:
    RuntimeError: when `beta` is negative.

Example:
    >>> F.smooth_l1_loss(torch.tensor([0.5, 5.0]), torch.tensor([0.0, 2.0]), reduction="none")
    tensor([0.1250, 2.5000]))",
    .module = "nn",
    .cpu = compute_smooth_l1_loss,
    .npu = {"SmoothL1Loss(self, target, reduction, beta:float)"},
    .meta = compute_smooth_l1_loss,
    .autocast = everywhere(Autocast::fp32),
    .grad = {wrt("self", [](Grad g, In<"self"> x, In<"target"> y, In<"reduction", int64_t> reduction,
                            In<"beta", double> beta) { return op<"smooth_l1_loss_backward">(g, x, y, *reduction, *beta); }),
             wrt("target", [](Grad g, In<"self"> x, In<"target"> y, In<"reduction", int64_t> reduction,
                              In<"beta", double> beta) { return op<"smooth_l1_loss_backward">(g, y, x, *reduction, *beta); })},
    .out_policy = OutPolicy{.casts = true, .takes_strides = true},
});

}  // namespace
}  // namespace mt
