// mse_loss: the squared error.
#include "rules/nn/loss.h"

namespace mt {
namespace {

constexpr auto squared_difference = [](auto a, auto b) { return (a - b) * (a - b); };

MT_OP(OpDef{
    .schema = {"_squared_error(Tensor self, Tensor target) -> Tensor"},
    .doc = "Computes ``(self - target)^2`` for each element.",
    .rule = pointwise(promoting),
    .cpu = elementwise<squared_difference, 2, dtypes::real>("mse_cpu"),
});

constexpr auto compute_mse_loss = [](const Tensor& x, const Tensor& y, int64_t reduction) -> Tensor {
  BelowAutograd guard;
  return reduce_loss(op<"_squared_error">(x, y), reduction);
};
MT_OP(OpDef{
    .schema = {"mse_loss(Tensor self, Tensor target, int reduction=Mean) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes the squared error ``(self - target)^2``.

``torch.nn.functional.mse_loss`` takes `reduction` by name.

Args:
    self (Tensor): predictions.
    target (Tensor): targets; broadcastable with `self`.
    reduction (int): 0 for each element, 1 for the mean, 2 for the sum. Default: ``1``.

Returns:
    Tensor: the loss; the broadcast shape without reduction, otherwise no dimensions.

Example:
    >>> F.mse_loss(torch.tensor([1.0, 5.0]), torch.tensor([1.0, 2.0]))
    tensor(4.5000))",
    .module = "nn",
    .cpu = compute_mse_loss,
    .npu = {"MseLoss"},
    .meta = compute_mse_loss,
    .autocast = everywhere(Autocast::fp32),
    .grad = {wrt("self", [](Grad g, In<"self"> x, In<"target"> y,
                            In<"reduction", int64_t> reduction) { return op<"mse_loss_backward">(g, x, y, *reduction); }),
             wrt("target", [](Grad g, In<"self"> x, In<"target"> y,
                              In<"reduction", int64_t> reduction) { return op<"mse_loss_backward">(g, y, x, *reduction); })},
    .out_policy = OutPolicy{.casts = true, .takes_strides = true},
});

}  // namespace
}  // namespace mt
