// native_dropout and its gradient: dropout that also returns the mask of kept elements.
#include "rules/form/algebra.h"

namespace mt {
namespace {

constexpr auto compute_native_dropout = [](const Tensor& input, double p, std::optional<bool> train) -> Tensors<2> {
  BelowAutograd guard;
  if (input.numel() == 0) return {{input, op<"empty_like">(input)}};
  if (!train.value_or(true)) return {{op<"clone">(input), op<"ones_like">(input, Dtype::boolean)}};
  const Tensor mask = op<"empty_like">(input, Dtype::boolean);
  op<"bernoulli_.float">(mask, 1 - p);
  return {{op<"mul_">(input * mask, p == 1 ? 0.0 : 1 / (1 - p)), mask}};
};

MT_OP(OpDef{
    .schema = {"native_dropout(Tensor input, float p, bool? train) -> (Tensor, Tensor)"},
    .forms = function,
    .doc = R"(Computes dropout and the mask of the elements that stay.

Elements become zero with probability `p`; the others are divided by ``1 - p``.

Args:
    input (Tensor): floating tensor of any shape.
    p (float): probability of an element to become zero; in [0, 1].
    train (bool or None): whether elements are dropped; ``None`` means yes.

Returns:
    (Tensor, Tensor): the result, and bools that are ``True`` for elements that stay.

Example:
    >>> torch.native_dropout(torch.ones(2), 0.5, False)
    (tensor([1., 1.]), tensor([True, True])))",
    .traits = MT_OP_RANDOM,
    .cpu = compute_native_dropout,
    .npu = {any_device},
    .meta = compute_native_dropout,
    .grad = {wrt("input",
                 [](GradOf<0> g, Out<"result1"> mask, In<"p", double> p, In<"train", std::optional<bool>> train) {
                   return op<"native_dropout_backward">(g, mask, !(*train).value_or(true) ? 1.0 : *p == 1 ? 0.0 : 1 / (1 - *p));
                 })},
});

constexpr auto compute_native_dropout_backward = [](const Tensor& grad, const Tensor& mask, double scale) -> Tensor {
  BelowAutograd guard;
  return grad * (op<"mul">(op<"to.dtype">(mask, grad.dtype()), scale));
};
MT_OP(OpDef{
    .schema = {"native_dropout_backward(Tensor grad_output, Tensor mask, float scale) -> Tensor"},
    .forms = internal,
    .doc = "Computes ``grad_output * mask * scale``: the gradient of ``native_dropout``.",
    .cpu = compute_native_dropout_backward,
    .npu = {any_device},
    .meta = compute_native_dropout_backward,
    .grad = {wrt("grad_output",
                 [](Grad g, In<"mask"> mask, In<"scale", double> scale) { return op<"native_dropout_backward">(g, mask, *scale); }),
             wrt("mask", [](Grad g, In<"grad_output"> go, In<"mask"> mask,
                            In<"scale", double> scale) { return is_floating(mask.dtype()) ? g * go * *scale : Tensor(); })},
});

}  // namespace
}  // namespace mt
