// logit: log(x / (1 - x)); if `eps` is given, x is clamped to [eps, 1 - eps].
#include "rules/form/algebra.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto logit_of = [](auto x) __attribute__((always_inline)) { return log_(x / (1 - x)); };

constexpr auto compute_logit = [](const Tensor& self, std::optional<double> eps) -> Tensor {
  BelowAutograd guard;
  return op<"_logit_of">(eps ? op<"clamp">(self, *eps, 1 - *eps) : self);
};

MT_OP(OpDef{
    .schema = {"logit(Tensor self, float? eps=None) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = R"(Computes the log-odds of each element: log(x / (1 - x)), the inverse of sigmoid.

With `eps` elements are limited to [eps, 1 - eps] first. Without, 0 and 1 give -inf and inf,
elements outside [0, 1] NaN. Integer and bool input is converted to the default float dtype. The
gradient is 1 / (x (1 - x)); outside the limits of `eps` it is 0, and without `eps` outside [0,
1] NaN.

Args:
    self (Tensor): any shape; not complex.
    eps (float, optional): the limit. Default: ``None``.

Returns:
    Tensor: shape of `self`; its dtype, or the default float dtype for integer and bool input.

Example:
    >>> torch.logit(torch.tensor([0.5, 0.9, 0.0]))
    tensor([0.0000, 2.1972,   -inf])
    >>> torch.logit(torch.tensor([0.0, 1.0]), eps=0.01)
    tensor([-4.5951,  4.5951]))",
    .aliases = "special_logit",
    .cpu = compute_logit,
    .npu = {any_device},
    .meta = compute_logit,
    .grad = {wrt("self", [](Grad g, In<"self"> x, In<"eps", std::optional<double>> eps) { return op<"logit_backward">(g, x, *eps); })},
    .jvp = forward([](Tangent<"self"> t, In<"self"> x, In<"eps", std::optional<double>> eps) { return op<"logit_backward">(t, x, *eps); }),
    .out_policy = OutPolicy{.casts = true, .takes_strides = true},
    .batch = batch_aligned,
});

// Outside the bounds set by `eps` the result is constant; outside [0, 1] it is NaN, and so is the slope.
constexpr auto differentiate_logit = [](const Tensor& grad, const Tensor& x, std::optional<double> eps) -> Tensor {
  const bool bounded = eps && *eps >= 0;
  const double low = bounded ? *eps : 0;
  const Tensor outside = op<"logical_or">(op<"lt">(x, low), op<"gt">(x, 1 - low));
  return op<"where">(outside, bounded ? 0.0 : __builtin_nan(""), grad / (x * (1 - x)));
};
MT_OP(OpDef{
    .schema = {"logit_backward(Tensor grad_output, Tensor self, float? eps=None) -> Tensor"},
    .forms = internal | out,
    .form_overloads = {{"out", "grad_input(grad_input)"}},
    .doc = R"(Computes logit's gradient: `grad_output` / (x (1 - x)).

Outside the limits of `eps` it is 0, and outside [0, 1] NaN where there is no `eps`.)",
    .module = "nn",
    .composite = differentiate_logit,
});

MT_OP(OpDef{
    .schema = {"_logit_of(Tensor self) -> Tensor"},
    .doc = R"(Computes log(x / (1 - x)).

It is the kernel of logit, behind the limits.)",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise<logit_of, 1, dtypes::floating>("logit_cpu"),
    .npu = {"Logit(self, -1.0)"},
});

}  // namespace
}  // namespace mt
