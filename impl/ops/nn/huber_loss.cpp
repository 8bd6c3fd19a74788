// huber_loss: an error squared below delta, linear above.
#include "rules/loss.h"

namespace mt {
namespace {

constexpr auto each = [](auto a, auto b, auto c) {
  const auto d = abs_(a - b);
  return d <= c ? d * d / 2 : c * (d - c / 2);
};
MT_OP(OpDef{
    .schema = {"_huber_loss_each(Tensor self, Tensor target, float delta) -> Tensor"},
    .doc = "The loss of each element: squared below `delta`, linear above.",
    .rule = pointwise(promoting),
    .cpu = elementwise<each, 3, dtypes::floating>("huber_cpu"),
    .grad = {wrt("self", [](Grad g, In<"self"> x, In<"target"> y, In<"delta", double> c) { return g * op<"clamp">(x - y, -*c, *c); }),
             wrt("target", [](Grad g, In<"self"> x, In<"target"> y, In<"delta", double> c) { return -g * op<"clamp">(x - y, -*c, *c); })},
    .grad_name = "HuberLossBackward0",
});
MT_OP(OpDef{
    .schema = {"huber_loss(Tensor self, Tensor target, int reduction=Mean, float delta=1.0) -> Tensor"},
    .forms = function,
    .doc = "An error squared below `delta`, linear above; reduced by mean or sum.",
    .module = "nn",
    .composite = [](const Tensor& x, const Tensor& y, int64_t reduction, double c) -> Tensor {
      check(c > 0, "huber_loss does not support non-positive values for delta.");
      
      return reduce_loss(op<"_huber_loss_each">(x, y, c), reduction);
    },
    .autocast = Autocast::fp32,
});

}  // namespace
}  // namespace mt
