// binary_cross_entropy_with_logits: binary cross entropy of logits, without overflow.
#include "rules/nn/loss.h"

namespace mt {
namespace {

// Uses log(sigmoid(x)) = min(x, 0) - log(1 + exp(-|x|)). The result has the target's dtype, since torch computes in place in a tensor of
// that dtype.
constexpr auto compute_binary_cross_entropy_with_logits = [](const Tensor& x, const Tensor& target, const Tensor& weight,
                                                             const Tensor& pos_weight, int64_t reduction) -> Tensor {
  BelowAutograd guard;
  Tensor log_sigmoid = op<"log_sigmoid">(x);
  if (pos_weight.defined()) log_sigmoid = ((pos_weight - 1) * target + 1) * log_sigmoid;
  const Tensor loss = op<"ones_like">(target);
  op<"sub_">(loss, target);
  op<"mul_">(loss, x);
  op<"sub_">(loss, log_sigmoid);
  if (weight.defined()) op<"mul_">(loss, weight);
  return reduce_loss(loss, reduction);
};
Tensor scale_loss_derivative(const Tensor& g, const Tensor& each, const Tensor& weight, int64_t reduction) {
  const Tensor d = g * (weight.defined() ? each * weight : each);
  return reduction == 1 ? d * loss_scale(each, 1) : d;
}

MT_OP(OpDef{
    .schema = {"binary_cross_entropy_with_logits(Tensor self, Tensor target, Tensor? weight=None, Tensor? pos_weight=None, int "
               "reduction=Mean) -> Tensor"},
    .forms = function,
    .doc = R"(Computes the binary cross entropy of logits: that of ``sigmoid(x)``, without overflow.

The loss is ``-(pos_weight t log(s(x)) + (1 - t) log(1 - s(x)))`` with the logistic function s,
computed from ``log(s(x)) = min(x, 0) - log(1 + exp(-|x|))``, so that large logits keep finite
losses and gradients. ``torch.nn.functional.binary_cross_entropy_with_logits`` takes `reduction` by
name.

Args:
    self (Tensor): logits; a floating dtype.
    target (Tensor): targets in [0, 1]; shape of `self`.
    weight (Tensor, optional): factor of each element; broadcastable.
    pos_weight (Tensor, optional): factor of the positive part; broadcastable. Above 1 it favours
        recall.
    reduction (int): 0 for each element, 1 for the mean, 2 for the sum. Default: ``1``.

Returns:
    Tensor: the loss; shape of `self` without reduction, otherwise no dimensions.

Example:
    >>> F.binary_cross_entropy_with_logits(torch.tensor([0.0]), torch.tensor([1.0]))
    tensor(0.6931))",
    .cpu = compute_binary_cross_entropy_with_logits,
    .npu = {any_device},
    .meta = compute_binary_cross_entropy_with_logits,
    .autocast = everywhere(Autocast::fp32),
    .grad = {wrt("self",
                 [](Grad g, In<"self"> x, In<"target"> t, In<"weight"> w, In<"pos_weight"> pos, In<"reduction", int64_t> reduction) {
                   Tensor rest = 1 - op<"sigmoid">(x);
                   if (pos.defined()) rest = ((pos - 1) * t + 1) * rest;
                   return scale_loss_derivative(g, 1 - t - rest, w, *reduction);
                 }),
             wrt("target",
                 [](Grad g, In<"self"> x, In<"weight"> w, In<"pos_weight"> pos, In<"reduction", int64_t> reduction) {
                   return scale_loss_derivative(g, pos.defined() ? -x - (pos - 1) * op<"log_sigmoid">(x) : -x, w, *reduction);
                 })},
});

}  // namespace
}  // namespace mt
