// triplet_margin_loss: an anchor must be nearer to the positive than to the negative, by a margin.
#include "dispatch/autocast.h"
#include "rules/loss.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"triplet_margin_loss(Tensor anchor, Tensor positive, Tensor negative, float margin=1.0, float p=2, float eps=1e-06, bool "
               "swap=False, int reduction=Mean) -> Tensor"},
    .forms = function,
    .doc = "max(0, margin + d(anchor, positive) - d(anchor, negative)) in the p-norm.",
    .composite = [](const Tensor& anchor, const Tensor& positive, const Tensor& negative, double margin, double p, double eps, bool swap,
                    int64_t reduction) -> Tensor {
      check(anchor.dim() == positive.dim() && positive.dim() == negative.dim(),
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: anchor {}D, positive "
            "{}D, and negative {}D inputs",
            anchor.dim(), positive.dim(), negative.dim());
      Tensor near = op<"pairwise_distance">(anchor, positive, p, eps), far = op<"pairwise_distance">(anchor, negative, p, eps);
      if (swap) far = op<"minimum">(far, op<"pairwise_distance">(positive, negative, p, eps));
      return reduce_loss(op<"clamp_min">(margin + near - far, 0), reduction);
    },
    .autocast = everywhere(Autocast::fp32),
});

}  // namespace
}  // namespace mt
