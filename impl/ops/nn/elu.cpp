// elu: x where positive, a scaled exponential elsewhere.
#include "rules/form/algebra.h"
#include "rules/form/checked.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"

namespace mt {
namespace {

constexpr auto elu_of = [](auto x, auto a, auto s, auto i) { return select_(x > 0, x * s, expm1_(x * i) * (a * s)); };

MT_OP(OpDef{
    .schema = {"elu(Tensor self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1) -> Tensor"},
    .forms = function | inplace_function | out,
    .doc = R"(Computes the exponential linear unit: x where positive, ``alpha * (exp(x) - 1)`` elsewhere.

With all arguments: ``scale * x`` where x > 0, ``alpha * scale * (exp(input_scale * x) - 1)``
elsewhere (Clevert et al., "Fast and accurate deep network learning by exponential linear units",
ICLR 2016).

Args:
    self (Tensor): floating tensor.
    alpha (number): limit ``-alpha`` for small x. Default: ``1``.
    scale (number): factor of the result. Default: ``1``.
    input_scale (number): factor of x in the exponential. Default: ``1``.

Returns:
    Tensor: shape and dtype of `self`; the in-place form returns `self`.

Example:
    >>> F.elu(torch.tensor([-1.0, 2.0]))
    tensor([-0.6321,  2.0000]))",
    .module = "nn",
    .rule = rule_after_check(refuse_converting_out, pointwise(promoting)),
    .cpu = elementwise<elu_of, 4, dtypes::floating>("elu_cpu"),
    .npu = {"Elu"},
    .grad = {wrt("self",
                 [](Grad g, In<"self"> x, In<"alpha", Scalar> a, In<"scale", Scalar> s, In<"input_scale", Scalar> i, IsInplace inplace) {
                   return op<"elu_backward">(g, *a, *s, *i, inplace && a.value.to_double() < 0, x);  // refused, then
                 })},
});

// Below zero the derivative is input_scale * (y + alpha * scale) for the result y, or alpha * scale * input_scale * exp(input_scale * x)
// for the input x.
constexpr auto differentiate_elu = [](const Tensor& grad, Scalar a, Scalar s, Scalar i, bool is_result, const Tensor& x) -> Tensor {
  BelowAutograd guard;
  check(!is_result || a.to_double() >= 0,  // the result does not tell on which side of zero its input was
        "In-place elu backward calculation is triggered with a negative slope which is not supported. This is caused by calling in-place "
        "forward function with a negative slope, please call out-of-place version instead.");
  const double limit = a.to_double() * s.to_double(), rate = i.to_double();
  const Tensor below = is_result ? (x + limit) * rate : op<"exp">(x * i) * (limit * rate);
  return op<"where">(op<"gt">(x, 0), grad * s, grad * below);
};

MT_OP(OpDef{
    .schema = {"elu_backward(Tensor grad_output, Scalar alpha, Scalar scale, Scalar input_scale, bool is_result, Tensor self_or_result) -> "
               "Tensor"},
    .forms = internal | out,
    .form_overloads = {{"out", "grad_input(grad_input)"}},
    .doc = "Computes the gradient of ``elu``, from its input or its result.",
    .cpu = differentiate_elu,
    .npu = {any_device},
    .meta = differentiate_elu,
    .grad = {wrt("grad_output",
                 [](Grad g, In<"alpha", Scalar> a, In<"scale", Scalar> s, In<"input_scale", Scalar> i, In<"is_result", bool> is_result,
                    In<"self_or_result"> x) { return op<"elu_backward">(g, *a, *s, *i, *is_result, x); }),
             wrt("self_or_result",
                 [](Grad g, In<"grad_output"> grad, In<"alpha", Scalar> a, In<"scale", Scalar> s, In<"input_scale", Scalar> i,
                    In<"is_result", bool> is_result, In<"self_or_result"> x) {
                   const Tensor bent = g * grad * *i, is_below = op<"lt">(x, 0);
                   return (*is_result ? bent : op<"elu_backward">(bent, *a, *s, *i, false, x)) * is_below;
                 })},
    .out_policy = OutPolicy{.casts = true, .takes_strides = true},
});

}  // namespace
}  // namespace mt
