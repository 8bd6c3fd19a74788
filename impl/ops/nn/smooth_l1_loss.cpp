// smooth_l1_loss: an error squared below beta, linear above.
#include "rules/loss.h"

namespace mt {
namespace {

constexpr auto each = [](auto a, auto b, auto c) {
  const auto d = abs_(a - b);
  return d < c ? d * d / (2 * c) : d - c / 2;
};
MT_OP(OpDef{
    .schema = {"_smooth_l1_loss_each(Tensor self, Tensor target, float beta) -> Tensor"},
    .doc = "The loss of each element: squared below `beta`, linear above.",
    .rule = pointwise(promoting),
    .cpu = elementwise<each, 3, dtypes::floating>("smooth_l1_cpu"),
    .grad = {wrt("self", [](Grad g, In<"self"> x, In<"target"> y, In<"beta", double> c) { return g * op<"clamp">((x - y) / *c, -1, 1); }),
             wrt("target", [](Grad g, In<"self"> x, In<"target"> y, In<"beta", double> c) { return -g * op<"clamp">((x - y) / *c, -1, 1); })},
    .grad_name = "SmoothL1LossBackward0",
});
MT_OP(OpDef{
    .schema = {"smooth_l1_loss(Tensor self, Tensor target, int reduction=Mean, float beta=1.0) -> Tensor"},
    .forms = function,
    .doc = "An error squared below `beta`, linear above; reduced by mean or sum.",
    .module = "nn",
    .composite = [](const Tensor& x, const Tensor& y, int64_t reduction, double c) -> Tensor {
      check(c >= 0, "smooth_l1_loss does not support negative values for beta.");
      if (c == 0) return op<"l1_loss">(x, y, reduction);
      return reduce_loss(op<"_smooth_l1_loss_each">(x, y, c), reduction);
    },
    .autocast = Autocast::fp32,
});

}  // namespace
}  // namespace mt
