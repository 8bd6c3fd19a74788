// silu_backward: derivative of silu.
#include "rules/form/algebra.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"

namespace mt {
namespace {

constexpr auto silu_backward_of = [](auto g, auto x) {
  using T = decltype(g);
  T s = T(1) / (T(1) + exp_(-x));
  if constexpr (is_complex_type<T>)
    return g * conj_(s * (T(1) + x * (T(1) - s)));
  else
    return g * s * (1 + x * (1 - s));
};

MT_OP(OpDef{
    .schema = {"silu_backward(Tensor grad_output, Tensor self) -> Tensor"},
    .forms = internal,
    .doc = "Computes silu's gradient: `grad_output` * s * (1 + x * (1 - s)) with s = sigmoid(x).",
    .rule = pointwise(promoting),
    .cpu = elementwise<silu_backward_of, 2, dtypes::floating_and_complex>("silu_backward_cpu"),
    .npu = {"SiluBackward"},
    .grad = {wrt("grad_output", [](Grad g, In<"self"> x) { return op<"silu_backward">(g, x); }),
             wrt("self",
                 [](Grad g, In<"grad_output"> go, In<"self"> x) {
                   Tensor s = op<"sigmoid">(x);
                   return g * go * (s * (1 - s)) * (2 + x * (1 - s * 2));
                 })},
});

}  // namespace
}  // namespace mt
