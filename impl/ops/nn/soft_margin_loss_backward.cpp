// soft_margin_loss_backward: the gradient of soft_margin_loss.
#include "rules/nn/loss.h"

namespace mt {
namespace {

constexpr auto differentiate_soft_margin_loss_backward = [](auto g, auto x, auto y, auto scale) {
  const auto z = exp_(-y * x);
  return scale * -y * z / (1 + z) * g;
};
MT_OP(OpDef{
    .schema = {"_soft_margin_loss_slope(Tensor grad_output, Tensor self, Tensor target, float scale) -> Tensor"},
    .doc = "Computes the gradient of each element's soft margin loss, times `scale`.",
    .rule = pointwise(promoting),
    .cpu = elementwise<differentiate_soft_margin_loss_backward, 4, dtypes::floating>("soft_margin_backward_cpu"),
});

constexpr auto compute_soft_margin_loss_backward = [](const Tensor& g, const Tensor& x, const Tensor& y, int64_t reduction) -> Tensor {
  BelowAutograd guard;
  return op<"_soft_margin_loss_slope">(g, x, y, loss_scale(x, reduction));
};
MT_OP(OpDef{
    .schema = {"soft_margin_loss_backward(Tensor grad_output, Tensor self, Tensor target, int reduction) -> Tensor"},
    .forms = internal,
    .doc = "Computes the gradient of ``soft_margin_loss`` for `self`.",
    .cpu = compute_soft_margin_loss_backward,
    .npu = {"SoftMarginLossBackward"},
    .meta = compute_soft_margin_loss_backward,
    .grad = {wrt("grad_output", [](Grad g, In<"self"> x, In<"target"> y,
                                   In<"reduction", int64_t> reduction) { return op<"soft_margin_loss_backward">(g, x, y, *reduction); }),
             wrt("self",
                 [](Grad g, In<"grad_output"> go, In<"self"> x, In<"target"> y, In<"reduction", int64_t> reduction) {
                   Tensor z = op<"exp">(-y * x), more = z + 1;
                   return g * go * (y * y) * z / (more * more) * loss_scale(x, *reduction);
                 })},
    .no_forward = true,
});

}  // namespace
}  // namespace mt
