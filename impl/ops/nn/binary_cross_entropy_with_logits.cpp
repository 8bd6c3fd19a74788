// binary_cross_entropy_with_logits: binary cross entropy of logits, without overflow.
#include "rules/loss.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"binary_cross_entropy_with_logits(Tensor self, Tensor target, Tensor? weight=None, Tensor? pos_weight=None, int "
               "reduction=Mean) -> Tensor"},
    .forms = function,
    .doc = "Binary cross entropy of logits, without overflow.",
    .composite = [](const Tensor& x, const Tensor& target, const Tensor& weight, const Tensor& pos_weight, int64_t reduction) -> Tensor {
      // log(sigmoid(x)) = min(x, 0) - log(1 + exp(-|x|))
      Tensor log_sigmoid = op<"log_sigmoid">(x), loss;
      if (pos_weight.defined())
        loss = (1 - target) * x - (((pos_weight - 1) * target) + 1) * log_sigmoid;
      else
        loss = (1 - target) * x - log_sigmoid;
      if (weight.defined()) loss = loss * weight;
      return reduce_loss(loss, reduction);
    },
    .autocast = Autocast::fp32,
});

}  // namespace
}  // namespace mt
