// margin_ranking_loss: by how much two scores fail to be in the wanted order.
#include "dispatch/autocast.h"
#include "rules/loss.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"margin_ranking_loss(Tensor input1, Tensor input2, Tensor target, float margin=0.0, int reduction=Mean) -> Tensor"},
    .forms = function,
    .doc = "max(0, -target * (input1 - input2) + margin), reduced by mean or sum.",
    .composite = [](const Tensor& a, const Tensor& b, const Tensor& target, double margin, int64_t reduction) -> Tensor {
      return reduce_loss(op<"clamp_min">(-target * (a - b) + margin, 0), reduction);
    },
    .autocast = everywhere(Autocast::fp32),
});

}  // namespace
}  // namespace mt
