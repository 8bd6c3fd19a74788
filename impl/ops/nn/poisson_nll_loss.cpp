// poisson_nll_loss: the negative log-likelihood of counts under a Poisson distribution.
#include "rules/nn/loss.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"poisson_nll_loss(Tensor input, Tensor target, bool log_input, bool full, float eps, int reduction) -> Tensor"},
    .forms = function,
    .doc = R"(Computes the negative log-likelihood of counts under a Poisson distribution, without log(target!).

With `log_input` it is ``exp(x) - target * x``, otherwise ``x - target * log(x + eps)``. `full` adds
Stirling's approximation ``t log(t) - t + log(2 pi t) / 2`` for targets t above 1.
``torch.nn.functional.poisson_nll_loss`` has defaults and takes `reduction` by name.

Args:
    input (Tensor): rates or their logarithms.
    target (Tensor): counts; broadcastable.
    log_input (bool): whether `input` holds logarithms.
    full (bool): whether to add the approximation of log(target!).
    eps (float): added to rates before the logarithm.
    reduction (int): 0 for each element, 1 for the mean, 2 for the sum.

Returns:
    Tensor: the loss; the broadcast shape without reduction, otherwise no dimensions.

Example:
    >>> F.poisson_nll_loss(torch.tensor([0.0]), torch.tensor([1.0]))
    tensor(1.))",
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
