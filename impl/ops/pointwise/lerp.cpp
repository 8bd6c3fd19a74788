// lerp: linear interpolation between two tensors.
#include "rules/pointwise/pointwise.h"

namespace mt {
namespace {

// Interpolates from the nearer end, so that weight 0 gives `self` and weight 1 gives `end` exactly.
constexpr auto interpolate = [](auto self, auto end, auto weight) {
  auto span = end - self;
  if constexpr (is_complex_type<decltype(self)>)
    return weight.re * weight.re + weight.im * weight.im < 0.25f ? self + weight * span : end - span * (decltype(weight)(1) - weight);
  else
    return (weight < 0 ? -weight : weight) < decltype(weight)(0.5) ? self + weight * span : end - span * (1 - weight);
};

MT_OP(OpDef{
    .schema = {"lerp.Tensor(Tensor self, Tensor end, Tensor weight) -> Tensor",
               "lerp.Scalar(Tensor self, Tensor end, Scalar weight) -> Tensor"},
    .forms = function | method | inplace | out,
    .form_overloads = {{"out", "Tensor_out"}},
    .doc = R"(Interpolates linearly: `self` + `weight` * (`end` - `self`), element by element.

Weights outside [0, 1] extrapolate. From |weight| = 1/2 on the step is taken back from `end`, so
that 0 gives `self` and 1 gives `end` exactly. The tensors broadcast and need the same dtype. The
gradients are 1 - weight, weight and end - `self`.

Args:
    self (Tensor): the start; floating or complex.
    end (Tensor): the end.
    weight (Tensor or number): how far to go.

Returns:
    Tensor: the broadcast shape, in the dtype of `self`.

Raises:
    RuntimeError: when the dtypes differ.

Example:
    >>> torch.lerp(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]), 0.5)
    tensor([2., 3.])
    >>> torch.lerp(torch.tensor([0.0, 0.0]), torch.tensor([10.0, 10.0]), torch.tensor([0.25, 2.0]))
    tensor([ 2.5000, 20.0000]))",
    .rule = pointwise(same_dtype),
    .cpu = elementwise<interpolate, 3, dtypes::floating_and_complex>("lerp_kernel_scalar"),
    .npu = {"Lerp", "Lerps"},
    .grad = {wrt("self", [](Grad g, In<"weight"> w) { return op<"mul">(g, op<"conj">(op<"rsub">(w, 1))); }),
             wrt("end", [](Grad g, In<"weight"> w) { return op<"mul">(g, op<"conj">(w)); }),
             wrt("weight", [](Grad g, In<"self"> a, In<"end"> b) { return op<"mul">(g, op<"conj">(op<"sub">(b, a))); })},
    .grad_name = "LerpBackward1",
    .overloads = {overload("Scalar", {.grad_name = "LerpBackward0"})},
});

}  // namespace
}  // namespace mt
