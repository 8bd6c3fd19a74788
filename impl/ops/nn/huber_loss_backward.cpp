// huber_loss_backward: the gradient of huber_loss.
#include "rules/nn/loss.h"

namespace mt {
namespace {

constexpr auto differentiate_huber_loss_backward = [](auto g, auto x, auto y, auto scale, auto c) {
  const auto d = x - y;
  const auto bounded = d <= -c ? -c : d >= c ? c : d;  // NaN stays NaN
  return scale * bounded * g;
};
MT_OP(OpDef{
    .schema = {"_huber_loss_slope(Tensor grad_output, Tensor self, Tensor target, float scale, float delta) -> Tensor"},
    .doc = "Computes the gradient of each element's Huber loss, times `scale`.",
    .rule = pointwise(promoting),
    .cpu = elementwise<differentiate_huber_loss_backward, 5, dtypes::floating>("huber_backward_cpu_out"),
});

constexpr auto compute_huber_loss_backward = [](const Tensor& g, const Tensor& x, const Tensor& y, int64_t reduction,
                                                double delta) -> Tensor {
  BelowAutograd guard;
  if (!x.device().is_cpu()) return op<"smooth_l1_loss_backward">(g, x, y, reduction, delta) * delta;
  return op<"_huber_loss_slope">(g, x, y, loss_scale(x, reduction), delta);
};
MT_OP(OpDef{
    .schema = {"huber_loss_backward(Tensor grad_output, Tensor self, Tensor target, int reduction, float delta) -> Tensor"},
    .forms = internal,
    .doc = "Computes the gradient of ``huber_loss`` for `self`.",
    .cpu = compute_huber_loss_backward,
    .npu = {any_device},
    .meta = compute_huber_loss_backward,
    .grad = {wrt("grad_output", [](Grad g, In<"self"> x, In<"target"> y, In<"reduction", int64_t> reduction,
                                   In<"delta", double> delta) { return op<"huber_loss_backward">(g, x, y, *reduction, *delta); }),
             wrt({"self", "target"},
                 [](Grad g, In<"grad_output"> go, In<"self"> x, In<"target"> y, In<"reduction", int64_t> reduction,
                    In<"delta", double> delta) {
                   Tensor near = op<"lt">(op<"abs">(x - y), *delta);
                   Tensor d = zero_where_false(near, g * go * loss_scale(x, *reduction));
                   return Tensors<2>{{d, -d}};
                 })},
    .out_policy = OutPolicy{.dtype_error = "Found dtype {1} but expected {0}", .takes_strides = true},
});

}  // namespace
}  // namespace mt
