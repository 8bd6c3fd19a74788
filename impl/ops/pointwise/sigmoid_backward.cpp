// sigmoid_backward: derivative of sigmoid, computed from its result.
#include "rules/form/algebra.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"

namespace mt {
namespace {

constexpr auto sigmoid_backward_of = [](auto g, auto y) {
  using T = decltype(g);
  if constexpr (is_complex_type<T>)
    return g * conj_((T(1) - y) * y);
  else
    return g * (1 - y) * y;
};

MT_OP(OpDef{
    .schema = {"sigmoid_backward(Tensor grad_output, Tensor output) -> Tensor"},
    .forms = internal | out,
    .form_overloads = {{"out", "grad_input(grad_input)"}},
    .doc = "Computes sigmoid's gradient from its result: `grad_output` * (1 - `output`) * `output`.",
    .rule = pointwise(promoting),
    .cpu = elementwise<sigmoid_backward_of, 2, dtypes::floating_and_complex>("sigmoid_backward_cpu"),
    .npu = {"SigmoidBackward"},
    .grad = {wrt("grad_output", [](Grad g, In<"output"> y) { return op<"sigmoid_backward">(g, conj(y)); }),
             wrt("output", [](Grad g, In<"grad_output"> go, In<"output"> y) { return conj(g) * go * conj(1 - y * 2); })},
});

}  // namespace
}  // namespace mt
