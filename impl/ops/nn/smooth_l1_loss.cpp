// smooth_l1_loss: an error squared below beta, linear above.
#include "dispatch/autocast.h"
#include "rules/loss.h"

namespace mt {
namespace {

constexpr auto each = [](auto a, auto b, auto c) {
  const auto d = abs_(a - b);
  return d < c ? d * d / (2 * c) : d - c / 2;
};
MT_OP(OpDef{
    .schema = {"_smooth_l1_loss_each(Tensor self, Tensor target, float beta) -> Tensor"},
    .doc = "The loss of each element.",
    .rule = pointwise(promoting),
    .cpu = elementwise<each, 3, dtypes::floating>("smooth_l1_cpu"),
});

constexpr auto loss_of = [](const Tensor& x, const Tensor& y, int64_t reduction, double beta) -> Tensor {
  check(beta >= 0, "smooth_l1_loss does not support negative values for beta.");
  BelowAutograd guard;
  return reduce_loss(op<"_smooth_l1_loss_each">(x, y, beta), reduction);
};
MT_OP(OpDef{
    .schema = {"smooth_l1_loss(Tensor self, Tensor target, int reduction=Mean, float beta=1.0) -> Tensor"},
    .forms = function | out,
    .doc = "An error squared below `beta`, linear above; reduced by mean or sum.",
    .module = "nn",
    .cpu = loss_of,
    .npu = {"SmoothL1Loss(self, target, reduction, beta:float)"},
    .meta = loss_of,
    .autocast = everywhere(Autocast::fp32),
    .grad = {wrt("self", [](Grad g, In<"self"> x, In<"target"> y, In<"reduction", int64_t> reduction, In<"beta", double> beta) {
               return op<"smooth_l1_loss_backward">(g, x, y, *reduction, *beta);
             }),
             wrt("target", [](Grad g, In<"self"> x, In<"target"> y, In<"reduction", int64_t> reduction, In<"beta", double> beta) {
               return op<"smooth_l1_loss_backward">(g, y, x, *reduction, *beta);
             })},
});

}  // namespace
}  // namespace mt
