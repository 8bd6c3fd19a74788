// soft_margin_loss: log(1 + exp(-target * self)).
#include "rules/form/checked.h"
#include "rules/nn/loss.h"

namespace mt {
namespace {

constexpr auto elementwise_loss = [](auto a, auto b) __attribute__((always_inline)) { return log_(1 + exp_(-b * a)); };
MT_OP(OpDef{
    .schema = {"_soft_margin_loss_each(Tensor self, Tensor target) -> Tensor"},
    .doc = "Computes the soft margin loss of each element.",
    .rule = pointwise(promoting),
    .cpu = elementwise<elementwise_loss, 2, dtypes::floating>("soft_margin_cpu"),
});

constexpr auto compute_soft_margin_loss = [](const Tensor& x, const Tensor& y, int64_t reduction) -> Tensor {
  BelowAutograd guard;
  const bool plain = x.dtype() == y.dtype() && (x.dtype() == Dtype::float32 || x.dtype() == Dtype::float64);
  if (plain && x.sizes() == broadcast_shapes(x.sizes(), y.sizes())) return reduce_loss(op<"_soft_margin_loss_each">(x, y), reduction);
  // Computes each step in place in the memory of -x: half types round at each step, and the in-place product raises torch's error for
  // shapes that do not broadcast.
  const Tensor steps = op<"neg">(x);
  op<"mul_">(steps, y);
  op<"exp_">(steps);
  op<"add_">(steps, 1);
  op<"log_">(steps);
  return reduce_loss(steps, reduction);
};
MT_OP(OpDef{
    .schema = {"soft_margin_loss(Tensor self, Tensor target, int reduction=Mean) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes the logistic loss ``log(1 + exp(-target * self))``.

``torch.nn.functional.soft_margin_loss`` takes `reduction` by name. Large negative products
overflow: ``binary_cross_entropy_with_logits`` does not.

Args:
    self (Tensor): scores; a floating dtype.
    target (Tensor): 1 or -1; broadcastable with `self`.
    reduction (int): 0 for each element, 1 for the mean, 2 for the sum. Default: ``1``.

Returns:
    Tensor: the loss; the broadcast shape without reduction, otherwise no dimensions.

Example:
    >>> F.soft_margin_loss(torch.tensor([0.0]), torch.tensor([1.0]))
    tensor(0.6931))",
    .module = "nn",
    .rule = rule_after_check(refuse_meta_mixtures),
    .cpu = compute_soft_margin_loss,
    .npu = {"SoftMarginLoss"},
    .meta = compute_soft_margin_loss,
    .autocast = everywhere(Autocast::fp32),
    .grad = {wrt("self", [](Grad g, In<"self"> x, In<"target"> y,
                            In<"reduction", int64_t> reduction) { return op<"soft_margin_loss_backward">(g, x, y, *reduction); })},
    .out_policy = OutPolicy{.dtype_error = "Found dtype {1} but expected {0}", .takes_strides = true},
});

}  // namespace
}  // namespace mt
