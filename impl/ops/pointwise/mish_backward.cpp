// mish_backward: derivative of mish.
#include "rules/form/algebra.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"

namespace mt {
namespace {

// Forced inlining: GCC's flatten attribute does not inline it, and a loop with a call stays scalar.
constexpr auto mish_backward_of = [](auto g, auto x) __attribute__((always_inline)) {
  using T = decltype(g);
  T t = tanh_(log1p_(exp_(x))), s = T(1) / (T(1) + exp_(-x));
  return g * (t + x * s * (1 - t * t));
};

MT_OP(OpDef{
    .schema = {"mish_backward(Tensor grad_output, Tensor self) -> Tensor"},
    .forms = internal,
    .doc = "Computes mish's gradient: `grad_output` * (t + x sigmoid(x) (1 - t^2)) with t = tanh(softplus(x)).",
    .rule = pointwise(promoting),
    .cpu = elementwise<mish_backward_of, 2, dtypes::floating>("mish_backward_cpu"),
    .npu = {"MishBackward"},
    .grad = {wrt("grad_output", [](Grad g, In<"self"> x) { return op<"mish_backward">(g, x); }),
             wrt("self",
                 [](Grad g, In<"grad_output"> go, In<"self"> x) {
                   Tensor s = op<"sigmoid">(x), t = op<"tanh">(op<"softplus">(x));
                   Tensor dt = s * (1 - t * t);
                   return g * go * (dt * 2 + x * (s * (1 - s) * (1 - t * t) - t * dt * s * 2));
                 })},
});

}  // namespace
}  // namespace mt
