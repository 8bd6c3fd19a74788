// tanh_backward: derivative of tanh, computed from its result.
#include "rules/form/algebra.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"

namespace mt {
namespace {

constexpr auto tanh_backward_of = [](auto g, auto y) {
  if constexpr (is_complex_type<decltype(g)>)
    return g * conj_(decltype(g)(1) - y * y);
  else
    return g * (1 - y * y);
};

MT_OP(OpDef{
    .schema = {"tanh_backward(Tensor grad_output, Tensor output) -> Tensor"},
    .forms = internal | out,
    .form_overloads = {{"out", "grad_input(grad_input)"}},
    .doc = "Computes tanh's gradient from its result: `grad_output` * (1 - `output`^2).",
    .rule = pointwise(promoting),
    .cpu = elementwise<tanh_backward_of, 2, dtypes::floating_and_complex>("tanh_backward_cpu"),
    .npu = {"TanhBackward"},
    .grad = {wrt("grad_output", [](Grad g, In<"output"> y) { return op<"tanh_backward">(g, conj(y)); }),
             wrt("output", [](Grad g, In<"grad_output"> go, In<"output"> y) { return conj(g) * go * conj(y * -2); })},
});

}  // namespace
}  // namespace mt
