// kl_div: the pointwise Kullback-Leibler divergence; `self` holds log probabilities.
#include "dispatch/autocast.h"
#include "rules/loss.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"kl_div(Tensor self, Tensor target, int reduction=Mean, *, bool log_target=False) -> Tensor"},
    .forms = function,
    .doc = "target * (log(target) - self), reduced by mean or sum.",
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
