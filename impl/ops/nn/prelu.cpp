// prelu: x where positive, a learned multiple elsewhere: one weight, or one per channel.
#include "rules/form/algebra.h"
#include "rules/form/checked.h"
#include "rules/pointwise/pointwise_layout.h"
#include "rules/pointwise/scalar_math.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"prelu(Tensor self, Tensor weight) -> Tensor"},
    .forms = function | method,
    .doc = R"(Computes x where positive and ``weight * x`` elsewhere, with a learned weight.

There is one weight for all elements, or one for each channel (He et al., "Delving deep into
rectifiers", ICCV 2015). Channels are dimension 1.

Args:
    self (Tensor): floating tensor; ``(N, C, *)`` for several weights.
    weight (Tensor): one element, or a vector of C; dtype of `self`.

Returns:
    Tensor: shape and dtype of `self`.

Raises:
    RuntimeError: when the number of weights is neither 1 nor C, or the dtypes differ.

Example:
    >>> torch.prelu(torch.tensor([1.0, -1.0]), torch.tensor(0.25))
    tensor([ 1.0000, -0.2500]))",
    .composite = [](const Tensor& self, const Tensor& weight) -> Tensor {
      check(self.dtype() == weight.dtype(), "prelu: Type promoting not supported. Got {} and {}", self.dtype(), weight.dtype());
      auto check_dims = [&] {
        check(weight.dim() <= 1, "prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {}", weight.dim());
      };
      Tensor w = weight;
      if (weight.numel() == 1) {
        check_dims();
        if (weight.dim() != self.dim()) w = op<"view">(weight, Dims(self.dim(), 1));
      } else {
        check(self.dim() > 0, "Not allow zero-dim input tensor.");
        const int64_t channels = self.dim() >= 2 ? self.size(1) : 1;
        check(channels == weight.numel(),
              "Mismatch of parameter numbers and input channel size. Found parameter numbers = {} and channel size = {}.", weight.numel(),
              channels);
        check_dims();
        Dims shape(self.dim(), 1);
        shape[self.dim() >= 2 ? 1 : 0] = weight.numel();
        if (weight.dim() != self.dim()) w = op<"view">(weight, shape);
      }
      return op<"_prelu_kernel">(self, w);
    },
    .autocast = everywhere(Autocast::lower_precision),
});

constexpr auto prelu_of = [](auto x, auto w) { return x > 0 ? x : w * x; };

MT_OP(OpDef{
    .schema = {"_prelu_kernel(Tensor self, Tensor weight) -> Tensor"},
    .forms = function,
    .doc = R"(Computes x where positive and ``weight * x`` elsewhere, for a `weight` that broadcasts.

``torch.prelu`` calls it.)",
    .rule = rule_after_check(refuse_meta_mixtures_by_second, pointwise_with_layout(ResultLayout::of_first)),
    .cpu = elementwise<prelu_of, 2, dtypes::floating>("prelu_cpu"),
    .npu = {"Prelu"},
    .grad = {wrt({"self", "weight"},
                 [](Grad g, In<"self"> x, In<"weight"> w) { return op<"_prelu_kernel_backward", Tensors<2>>(g, x, w); })},
});

// The gradients of the input and of the weight, element by element: that of the weight is not yet summed.
constexpr auto differentiate_prelu = [](const Tensor& g, const Tensor& x, const Tensor& w) -> Tensors<2> {
  BelowAutograd guard;
  const Tensor positive = op<"gt">(x, 0);
  return {{op<"where">(positive, g, g * w), op<"where">(positive, 0, g * x)}};
};

MT_OP(OpDef{
    .schema = {"_prelu_kernel_backward(Tensor grad_output, Tensor self, Tensor weight) -> (Tensor, Tensor)"},
    .forms = internal,
    .doc = "Computes the gradients of ``_prelu_kernel`` for `self` and `weight`.",
    .cpu = differentiate_prelu,
    .npu = {any_device},
    .meta = differentiate_prelu,
    .grad = {wrt({"grad_output", "self", "weight"},
                 [](GradOf<0> of_self, GradOf<1> of_weight, In<"grad_output"> g, In<"self"> x, In<"weight"> w) -> Tensors<3> {
                   const Tensor positive = op<"gt">(x, 0);
                   const Tensor a = of_self.defined() ? Tensor(of_self) : op<"zeros_like">(g),
                                b = of_weight.defined() ? Tensor(of_weight) : op<"zeros_like">(g);
                   return {{op<"where">(positive, a, a * w + b * x), op<"where">(positive, 0, b * g), op<"where">(positive, 0, a * g)}};
                 })},
});

}  // namespace
}  // namespace mt
