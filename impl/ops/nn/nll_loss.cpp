// nll_loss: the negative log-likelihood of the target classes: (N, C) and (N).
#include "dispatch/autocast.h"
#include "rules/rows.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"nll_loss(Tensor self, Tensor target, Tensor? weight=None, int reduction=Mean, SymInt ignore_index=-100) -> Tensor"},
    .forms = function | out,
    .doc = "The negative log-likelihood of the target classes: (N, C) and (N).",
    .module = "nn",
    .composite = [](const Tensor& self, const Tensor& target, const Tensor& weight, int64_t reduction, int64_t ignore) -> Tensor {
      return op<"nll_loss_forward", Tensors<2>>(self, target, weight, reduction, ignore)[0];
    },
    .autocast = on_npu(Autocast::fp32),
});

}  // namespace
}  // namespace mt
