// mse_loss: the squared error.
#include "dispatch/autocast.h"
#include "rules/loss.h"

namespace mt {
namespace {

constexpr auto squared = [](auto a, auto b) { return (a - b) * (a - b); };

MT_OP(OpDef{
    .schema = {"_squared_error(Tensor self, Tensor target) -> Tensor"},
    .doc = "(self - target)^2.",
    .rule = pointwise(promoting),
    .cpu = elementwise<squared, 2, dtypes::real>("mse_cpu"),
});

constexpr auto loss_of = [](const Tensor& x, const Tensor& y, int64_t reduction) -> Tensor {
  BelowAutograd guard;
  return reduce_loss(op<"_squared_error">(x, y), reduction);
};
MT_OP(OpDef{
    .schema = {"mse_loss(Tensor self, Tensor target, int reduction=Mean) -> Tensor"},
    .forms = function | out,
    .doc = "The mean (or sum, or each) of (self - target)^2.",
    .module = "nn",
    .cpu = loss_of,
    .npu = {"MseLoss"},
    .meta = loss_of,
    .autocast = everywhere(Autocast::fp32),
    .grad = {wrt("self", [](Grad g, In<"self"> x, In<"target"> y, In<"reduction", int64_t> reduction) {
               return op<"mse_loss_backward">(g, x, y, *reduction);
             }),
             wrt("target", [](Grad g, In<"self"> x, In<"target"> y, In<"reduction", int64_t> reduction) {
               return op<"mse_loss_backward">(g, y, x, *reduction);
             })},
});

}  // namespace
}  // namespace mt
