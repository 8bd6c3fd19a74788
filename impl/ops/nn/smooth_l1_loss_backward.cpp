// smooth_l1_loss_backward: the gradient of smooth_l1_loss.
#include "rules/nn/loss.h"

namespace mt {
namespace {

constexpr auto differentiate_smooth_l1_loss_backward = [](auto g, auto x, auto y, auto scale, auto c) {
  using T = decltype(x);
  const T d = x - y;
  const T bounded = d <= -c ? T(-1) : d >= c ? T(1) : d / c;  // NaN stays NaN
  return scale * bounded * g;
};
MT_OP(OpDef{
    .schema = {"_smooth_l1_loss_slope(Tensor grad_output, Tensor self, Tensor target, float scale, float beta) -> Tensor"},
    .doc = "Computes the gradient of each element's smooth L1 loss, times `scale`.",
    .rule = pointwise(promoting),
    .cpu = elementwise<differentiate_smooth_l1_loss_backward, 5, dtypes::floating>("smooth_l1_backward_cpu_out"),
});

constexpr auto compute_smooth_l1_loss_backward = [](const Tensor& g, const Tensor& x, const Tensor& y, int64_t reduction,
                                                    double beta) -> Tensor {
  BelowAutograd guard;
  return op<"_smooth_l1_loss_slope">(g, x, y, loss_scale(x, reduction), beta);
};
MT_OP(OpDef{
    .schema = {"smooth_l1_loss_backward(Tensor grad_output, Tensor self, Tensor target, int reduction, float beta) -> Tensor"},
    .forms = internal,
    .doc = "Computes the gradient of ``smooth_l1_loss`` for `self`.",
    .cpu = compute_smooth_l1_loss_backward,
    .npu = {"SmoothL1LossBackward(grad_output, self, target, reduction, beta:float)"},
    .meta = compute_smooth_l1_loss_backward,
    .grad = {wrt("grad_output", [](Grad g, In<"self"> x, In<"target"> y, In<"reduction", int64_t> reduction,
                                   In<"beta", double> beta) { return op<"smooth_l1_loss_backward">(g, x, y, *reduction, *beta); }),
             wrt({"self", "target"},
                 [](Grad g, In<"grad_output"> go, In<"self"> x, In<"target"> y, In<"reduction", int64_t> reduction,
                    In<"beta", double> beta) {
                   Tensor near = op<"lt">(op<"abs">(x - y), *beta);
                   Tensor d = zero_where_false(near, g * go * (loss_scale(x, *reduction) / *beta));
                   return Tensors<2>{{d, -d}};
                 })},
});

}  // namespace
}  // namespace mt
