// poisson_nll_loss: the negative log-likelihood of counts under a Poisson distribution.
#include "dispatch/autocast.h"
#include "rules/loss.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"poisson_nll_loss(Tensor input, Tensor target, bool log_input, bool full, float eps, int reduction) -> Tensor"},
    .forms = function,
    .doc = "The negative log-likelihood of counts under a Poisson distribution; `full` adds Stirling's approximation of log(target!).",
    .composite = [](const Tensor& input, const Tensor& target, bool log_input, bool full, double eps, int64_t reduction) -> Tensor {
      constexpr double two_pi = 6.283185307179586;
      Tensor loss = log_input ? op<"exp">(input) - target * input : input - target * op<"log">(input + eps);
      if (full) {
        Tensor stirling = target * op<"log">(target) - target + 0.5 * op<"log">(two_pi * target);
        op<"add_">(loss, op<"masked_fill">(stirling, op<"le">(target, 1), 0));
      }
      return reduce_loss(loss, reduction);
    },
    .autocast = everywhere(Autocast::fp32),
});

}  // namespace
}  // namespace mt
