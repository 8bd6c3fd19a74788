// binary_cross_entropy_backward: the gradient of binary_cross_entropy.
#include "rules/nn/loss.h"

namespace mt {
namespace {

constexpr auto differentiate_binary_cross_entropy_backward = [](auto g, auto p, auto t, auto scale) {
  using T = decltype(p);
  const T spread = (1 - p) * p;
  return g * (p - t) / (spread < T(1e-12) ? T(1e-12) : spread) * scale;
};
MT_OP(OpDef{
    .schema = {"_binary_cross_entropy_slope(Tensor grad_output, Tensor self, Tensor target, float scale) -> Tensor"},
    .doc = "Computes the gradient of each element's binary cross entropy, times `scale`.",
    .rule = pointwise(same_dtype),
    .cpu = elementwise<differentiate_binary_cross_entropy_backward, 4, dtypes::floating>("binary_cross_entropy_backward"),
});

constexpr auto compute_binary_cross_entropy_backward = [](const Tensor& g, const Tensor& p, const Tensor& target, const Tensor& weight,
                                                          int64_t reduction) -> Tensor {
  BelowAutograd guard;
  Tensor d = op<"_binary_cross_entropy_slope">(g, p, target, loss_scale(p, reduction));
  return weight.defined() ? d * weight : d;
};
MT_OP(OpDef{
    .schema = {"binary_cross_entropy_backward(Tensor grad_output, Tensor self, Tensor target, Tensor? weight=None, int reduction=Mean) -> "
               "Tensor"},
    .forms = internal,
    .doc = "Computes the gradient of ``binary_cross_entropy`` for `self`.",
    .cpu = compute_binary_cross_entropy_backward,
    .npu = {"BinaryCrossEntropyBackward"},
    .meta = compute_binary_cross_entropy_backward,
    .grad = {wrt("grad_output",
                 [](Grad g, In<"self"> p, In<"target"> t, In<"weight"> weight, In<"reduction", int64_t> reduction) {
                   return op<"binary_cross_entropy_backward">(g, p, t, weight, *reduction);
                 }),
             wrt({"self", "target"},
                 [](Grad g, In<"grad_output"> go, In<"self"> p, In<"target"> t, In<"weight"> weight, In<"reduction", int64_t> reduction) {
                   constexpr double eps = 1e-12;
                   Tensor spread = (p + eps) * (1 - p + eps);
                   Tensor common = g * go * loss_scale(p, *reduction) / spread;
                   if (weight.defined()) common = common * weight;
                   return Tensors<2>{{common * (p * p - 2 * p * t + t) / spread, -common}};
                 })},
});

}  // namespace
}  // namespace mt
