// huber_loss: an error squared below delta, linear above.
#include "rules/form/checked.h"
#include "rules/nn/loss.h"
#include "rules/pointwise/pointwise_layout.h"

namespace mt {
namespace {

constexpr auto elementwise_loss = [](auto a, auto b, auto c) {
  const auto d = abs_(a - b);
  return d < c ? d * d / 2 : c * (d - c / 2);
};
MT_OP(OpDef{
    .schema = {"_huber_loss_each(Tensor self, Tensor target, float delta) -> Tensor"},
    .doc = "Computes the Huber loss of each element.",
    .rule = pointwise_with_layout(ResultLayout::of_first),
    .cpu = elementwise<elementwise_loss, 3, dtypes::floating>("huber_cpu"),
});

constexpr auto compute_huber_loss = [](const Tensor& x, const Tensor& y, int64_t reduction, double delta) -> Tensor {
  check(delta > 0, "huber_loss does not support non-positive values for delta.");
  BelowAutograd guard;
  if (!x.device().is_cpu()) return op<"smooth_l1_loss">(x, y, reduction, delta) * delta;  // equal up to the scale
  const Tensor both[] = {x, y};
  check_result_cast(result_type(both, 2), x.dtype());
  const Tensor losses = op<"_huber_loss_each">(x, y, delta);
  return reduce_loss(losses.dtype() == x.dtype() ? losses : op<"to.dtype">(losses, x.dtype()), reduction);
};
MT_OP(OpDef{
    .schema = {"huber_loss(Tensor self, Tensor target, int reduction=Mean, float delta=1.0) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes the Huber loss: quadratic for small errors, linear for large ones.

With the error e: ``e^2 / 2`` where ``|e| <= delta``, ``delta * (|e| - delta / 2)`` elsewhere
(Huber, "Robust estimation of a location parameter", Ann. Math. Stat. 35, 1964).
``torch.nn.functional.huber_loss`` takes `reduction` by name.

Args:
    self (Tensor): predictions; a floating dtype.
    target (Tensor): targets; broadcastable with `self`.
    reduction (int): 0 for each element, 1 for the mean, 2 for the sum. Default: ``1``.
    delta (float): where the linear part begins; positive. Default: ``1.0``.

Returns:
    Tensor: the loss; the broadcast shape without reduction, otherwise no dimensions.

Raises:
    RuntimeError: when `delta` is not positive.

Example:
    >>> F.huber_loss(torch.tensor([0.5, 5.0]), torch.tensor([0.0, 2.0]), reduction="none")
    tensor([0.1250, 2.5000]))",
    .module = "nn",
    .rule = rule_after_check(refuse_meta_mixtures),
    .cpu = compute_huber_loss,
    .npu = {any_device},
    .meta = compute_huber_loss,
    .autocast = everywhere(Autocast::fp32),
    .grad = {wrt("self", [](Grad g, In<"self"> x, In<"target"> y, In<"reduction", int64_t> reduction,
                            In<"delta", double> delta) { return op<"huber_loss_backward">(g, x, y, *reduction, *delta); }),
             wrt("target", [](Grad g, In<"self"> x, In<"target"> y, In<"reduction", int64_t> reduction,
                              In<"delta", double> delta) { return op<"huber_loss_backward">(g, y, x, *reduction, *delta); })},
    .out_policy = OutPolicy{.casts = true, .takes_strides = true},
});

}  // namespace
}  // namespace mt
