// gelu: x times the normal distribution function.
#include "rules/form/algebra.h"
#include "rules/form/checked.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"

namespace mt {
namespace {

constexpr auto gelu_exact = [](auto x) __attribute__((always_inline)) { return x * normal_cdf_(x); };
constexpr auto gelu_by_tanh = [](auto x) __attribute__((always_inline)) {
  using T = decltype(x);
  return T(0.5) * x * (1 + tanh_(T(0.79788456080286535588) * (x + T(0.044715) * x * x * x)));
};
constexpr auto gelu_exact_backward = [](auto g, auto x) __attribute__((always_inline)) {
  using T = decltype(x);
  return g * (normal_cdf_(x) + x * exp_(x * x * T(-0.5)) * T(0.39894228040143267794));
};
constexpr auto gelu_by_tanh_backward = [](auto g, auto x) __attribute__((always_inline)) {
  using T = decltype(x);
  const T k = T(0.79788456080286535588), c = T(0.044715);
  const T t = tanh_(k * (x + c * x * x * x));
  return g * (T(0.5) * (1 + t) + T(0.5) * x * (1 - t * t) * k * (1 + 3 * c * x * x));
};
bool is_tanh(const Value& approximate) {
  const Text mode = Unbox<Text>::from(approximate);
  check(mode == "none" || mode == "tanh", "approximate argument must be either none or tanh.");
  return mode == "tanh";
}

MT_OP(OpDef{
    .schema = {"gelu(Tensor self, *, str approximate='none') -> Tensor"},
    .forms = function | inplace_function | out,
    .doc = R"(Computes the Gaussian error linear unit: ``x * Phi(x)`` with the normal distribution function Phi.

With ``approximate="tanh"`` it is ``0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))`` (Hendrycks
and Gimpel, "Gaussian error linear units", 2016).

Args:
    self (Tensor): floating tensor.
    approximate (str): ``"none"`` or ``"tanh"``. Default: ``"none"``.

Returns:
    Tensor: shape and dtype of `self`.

Raises:
    RuntimeError: when `approximate` is another text.

Example:
    >>> F.gelu(torch.tensor([-1.0, 0.0, 2.0]))
    tensor([-0.1587,  0.0000,  1.9545]))",
    .module = "nn",
    .rule = rule_after_check(refuse_converting_out, pointwise(promoting)),
    .cpu = choose([](const Call& c) {
      return is_tanh(c.args[1]) ? kernel_of<gelu_by_tanh, 1, dtypes::floating>("GeluKernelImpl")
                                : kernel_of<gelu_exact, 1, dtypes::floating>("GeluKernelImpl");
    }),
    .npu = {"GeluV2(self, approximate=tanh)"},
    .grad = {wrt("self", [](Grad g, In<"self"> x, In<"approximate", Text> mode) { return op<"gelu_backward">(g, x, *mode); })},
});

MT_OP(OpDef{
    .schema = {"gelu_backward(Tensor grad_output, Tensor self, *, str approximate='none') -> Tensor"},
    .forms = internal,
    .doc = "Computes the gradient of ``gelu``.",
    .rule = pointwise(promoting),
    .cpu = choose([](const Call& c) {
      return is_tanh(c.args[2]) ? kernel_of<gelu_by_tanh_backward, 2, dtypes::floating>("GeluBackwardKernelImpl")
                                : kernel_of<gelu_exact_backward, 2, dtypes::floating>("GeluBackwardKernelImpl");
    }),
    .npu = {"GeluBackwardV2"},
    .grad = {wrt("grad_output", [](Grad g, In<"self"> x, In<"approximate", Text> mode) { return op<"gelu_backward">(g, x, *mode); }),
             wrt("self",
                 [](Grad g, In<"grad_output"> go, In<"self"> x, In<"approximate", Text> mode) {
                   Tensor second;
                   if (*mode == "none") {
                     second = op<"exp">(x * x * -0.5) * 0.39894228040143267794 * (2 - x * x);
                   } else {
                     const double k = 0.79788456080286535588, c = 0.044715;
                     Tensor t = op<"tanh">((x + x * x * x * c) * k), du = (x * x * (3 * c) + 1) * k, s = 1 - t * t;
                     second = s * du + x * 0.5 * (s * (x * (6 * c * k)) - t * s * du * du * 2);
                   }
                   return g * go * second;
                 })},
});

}  // namespace
}  // namespace mt
