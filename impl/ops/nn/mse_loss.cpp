// mse_loss: the squared error.
#include "rules/loss.h"

namespace mt {
namespace {

constexpr auto squared = [](auto a, auto b) { return (a - b) * (a - b); };

MT_OP(OpDef{
    .schema = {"_squared_error(Tensor self, Tensor target) -> Tensor"},
    .doc = "(self - target)^2.",
    .rule = pointwise(promoting),
    .cpu = elementwise<squared, 2, dtypes::numbers>("mse_cpu"),
    .grad = {wrt("self", [](Grad g, In<"self"> x, In<"target"> y) { return g * (x - y) * 2; }),
             wrt("target", [](Grad g, In<"self"> x, In<"target"> y) { return g * (y - x) * 2; })},
    .grad_name = "MseLossBackward0",
});
MT_OP(OpDef{
    .schema = {"mse_loss(Tensor self, Tensor target, int reduction=Mean) -> Tensor"},
    .forms = function | out,
    .doc = "The mean (or sum, or each) of (self - target)^2.",
    .module = "nn",
    .cpu = [](const Tensor& x, const Tensor& y, int64_t reduction) -> Tensor {
      BelowAutograd guard;
      return reduce_loss(op<"_squared_error">(x, y), reduction);
    },
    .meta = [](const Tensor& x, const Tensor& y, int64_t reduction) -> Tensor {
      BelowAutograd guard;
      return reduce_loss(op<"_squared_error">(x, y), reduction);
    },
    .autocast = Autocast::fp32,
    .grad = {wrt({"self", "target"}, [](Grad g, In<"self"> x, In<"target"> y, In<"reduction", int64_t> reduction) {
      Tensor d = (x - y) * 2;
      if (*reduction == 1) d = d / double(d.numel());
      Tensor gx = g * d;
      return Tensors<2>{{gx, -gx}};
    })},
});

}  // namespace
}  // namespace mt
