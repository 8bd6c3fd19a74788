// kl_div: the pointwise Kullback-Leibler divergence; `self` holds log probabilities.
#include "rules/nn/loss.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"kl_div(Tensor self, Tensor target, int reduction=Mean, *, bool log_target=False) -> Tensor"},
    .forms = function,
    .doc = R"(Computes the pointwise Kullback-Leibler divergence ``target * (log(target) - self)``.

`self` holds logarithms of probabilities. A target of 0 counts 0. The divergence of distributions is
the sum of a sample's elements: the mean over all elements is smaller;
``torch.nn.functional.kl_div`` has ``"batchmean"`` for it.

Args:
    self (Tensor): logarithms of probabilities; a floating dtype.
    target (Tensor): probabilities; broadcastable with `self`.
    reduction (int): 0 for each element, 1 for the mean, 2 for the sum. Default: ``1``.
    log_target (bool): whether `target` holds logarithms too. Default: ``False``.

Returns:
    Tensor: the loss; the broadcast shape without reduction, otherwise no dimensions.

Raises:
    RuntimeError: when a dtype is integer or complex.

Example:
    >>> x, target = torch.tensor([0.5, 0.5]).log(), torch.tensor([1.0, 0.0])
    >>> F.kl_div(x, target, reduction="sum")
    tensor(0.6931))",
    .composite = [](const Tensor& self, const Tensor& target, int64_t reduction, bool log_target) -> Tensor {
      check(!is_complex(self.dtype()) && !is_complex(target.dtype()), "kl_div: Complex inputs not supported.");
      check(!is_integral(self.dtype(), true) && !is_integral(target.dtype(), true), "kl_div: Integral inputs not supported.");
      if (log_target) return reduce_loss(op<"exp">(target) * (target - self), reduction);
      return reduce_loss(op<"xlogy">(target, target) - target * self, reduction);
    },
    .autocast = everywhere(Autocast::fp32),
});

}  // namespace
}  // namespace mt
