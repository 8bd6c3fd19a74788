// binary_cross_entropy: -(target log(self) + (1 - target) log(1 - self)), each logarithm at least -100.
#include "core/messages.h"
#include "rules/nn/loss.h"
#include "rules/pointwise/pointwise_layout.h"

namespace mt {
namespace {

constexpr auto elementwise_loss = [](auto p, auto t) __attribute__((always_inline)) {
  using T = decltype(p);
  T a = log_(p), b = log1p_(-p);
  a = a < T(-100) ? T(-100) : a;  // torch clamps both logarithms
  b = b < T(-100) ? T(-100) : b;
  return (t - 1) * b - t * a;
};
MT_OP(OpDef{
    .schema = {"_binary_cross_entropy_each(Tensor self, Tensor target) -> Tensor"},
    .doc = "Computes ``-(t log(p) + (1 - t) log(1 - p))`` for each element; logarithms are at least -100.",
    .rule = pointwise_with_layout(ResultLayout::of_first, same_dtype),
    .cpu = elementwise<elementwise_loss, 2, dtypes::floating>("binary_cross_entropy"),
});

void check_probabilities(const Tensor& t, const char* text) {
  if (!t.is_meta() && t.numel()) check(*op<"all">(op<"logical_and">(op<"ge">(t, 0), op<"le">(t, 1))).data<bool>(), text);
}
constexpr auto compute_binary_cross_entropy = [](const Tensor& p, const Tensor& target, const Tensor& weight, int64_t reduction) -> Tensor {
  BelowAutograd guard;
  check(p.dtype() == target.dtype(), messages::found_dtype_but_expected, target.dtype(), p.dtype());
  check_probabilities(p, "all elements of input should be between 0 and 1");
  check_probabilities(target, "all elements of target should be between 0 and 1");
  Tensor loss = op<"_binary_cross_entropy_each">(p, target);
  if (weight.defined()) loss = loss * weight;
  return reduce_loss(loss, reduction);
};
MT_OP(OpDef{
    .schema = {"binary_cross_entropy(Tensor self, Tensor target, Tensor? weight=None, int reduction=Mean) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes the binary cross entropy of probabilities: ``-(t log(p) + (1 - t) log(1 - p))``.

Logarithms are held at -100, so the loss stays finite for p of 0 and 1.
``torch.nn.functional.binary_cross_entropy`` takes `reduction` by name;
``binary_cross_entropy_with_logits`` is more exact.

Args:
    self (Tensor): probabilities in [0, 1]; a floating dtype.
    target (Tensor): targets in [0, 1]; shape and dtype of `self`.
    weight (Tensor, optional): factor of each element; broadcastable.
    reduction (int): 0 for each element, 1 for the mean, 2 for the sum. Default: ``1``.

Returns:
    Tensor: the loss; shape of `self` without reduction, otherwise no dimensions.

Raises:
    RuntimeError: when values are outside of [0, 1] or dtypes differ.

Example:
    >>> F.binary_cross_entropy(torch.tensor([0.5]), torch.tensor([1.0]))
    tensor(0.6931))",
    .module = "nn",
    .cpu = compute_binary_cross_entropy,
    .npu = {"BinaryCrossEntropy"},
    .meta = compute_binary_cross_entropy,
    .autocast = on_npu(refused),
    .grad = {wrt("self",
                 [](Grad g, In<"self"> p, In<"target"> t, In<"weight"> weight, In<"reduction", int64_t> reduction) {
                   return op<"binary_cross_entropy_backward">(g, p, t, weight, *reduction);
                 }),
             wrt("target",
                 [](Grad g, In<"self"> p, In<"weight"> weight, In<"reduction", int64_t> reduction) {
                   Tensor d = g * (op<"clamp_min">(op<"log1p">(-p), -100) - op<"clamp_min">(op<"log">(p), -100));
                   if (weight.defined()) d = d * weight;
                   return *reduction == 1 ? d * loss_scale(p, 1) : d;
                 })},
    .out_policy = OutPolicy{.dtype_error = "Found dtype {1} but expected {0}", .takes_strides = true},
});

}  // namespace
}  // namespace mt
