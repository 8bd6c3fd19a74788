// mse_loss_backward: the gradient of the squared error.
#include "rules/nn/loss.h"

namespace mt {
namespace {

constexpr auto differentiate_mse_loss_backward = [](auto g, auto x, auto y, auto scale) { return scale * (x - y) * g; };
MT_OP(OpDef{
    .schema = {"_squared_error_slope(Tensor grad_output, Tensor self, Tensor target, float scale) -> Tensor"},
    .doc = "Computes ``scale * (self - target) * grad_output`` for each element.",
    .rule = pointwise(promoting),
    .cpu = elementwise<differentiate_mse_loss_backward, 4, dtypes::numbers>("mse_backward_cpu_out"),
});

constexpr auto compute_mse_loss_backward = [](const Tensor& g, const Tensor& x, const Tensor& y, int64_t reduction) -> Tensor {
  BelowAutograd guard;
  return op<"_squared_error_slope">(g, x, y, 2 * loss_scale(x, reduction));
};
MT_OP(OpDef{
    .schema = {"mse_loss_backward(Tensor grad_output, Tensor self, Tensor target, int reduction) -> Tensor"},
    .forms = internal,
    .doc = "Computes the gradient of ``mse_loss`` for `self`.",
    .cpu = compute_mse_loss_backward,
    .npu = {"MseLossBackward"},
    .meta = compute_mse_loss_backward,
    .grad = {wrt("grad_output", [](Grad g, In<"self"> x, In<"target"> y,
                                   In<"reduction", int64_t> reduction) { return op<"mse_loss_backward">(g, x, y, *reduction); }),
             wrt({"self", "target"},
                 [](Grad g, In<"grad_output"> go, In<"self"> x, In<"reduction", int64_t> reduction) {
                   Tensor d = g * go * (2 * loss_scale(x, *reduction));
                   return Tensors<2>{{d, -d}};
                 })},
});

}  // namespace
}  // namespace mt
