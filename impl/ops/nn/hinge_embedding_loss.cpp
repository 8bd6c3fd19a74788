// hinge_embedding_loss: a distance where the target is 1, what it lacks to the margin where it is -1.
#include "dispatch/autocast.h"
#include "rules/loss.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"hinge_embedding_loss(Tensor self, Tensor target, float margin=1.0, int reduction=Mean) -> Tensor"},
    .forms = function,
    .doc = "`self` where the target is 1, max(0, margin - self) where it is -1; both for any other target.",
    .composite = [](const Tensor& self, const Tensor& target, double margin, int64_t reduction) -> Tensor {
      Tensor zeros = op<"zeros_like">(self);
      Tensor lack = op<"clamp_min">(op<"full">(IntList{}, margin, self.dtype(), nullptr, self.device()) - self, 0);
      Tensor far = op<"where">(op<"ne">(target, 1), lack, zeros);
      Tensor near = op<"where">(op<"ne">(target, -1), self, zeros);
      return reduce_loss(far + near, reduction);
    },
    .autocast = everywhere(Autocast::fp32),
});

}  // namespace
}  // namespace mt
