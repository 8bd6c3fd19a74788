// hardsigmoid_backward: derivative of hardsigmoid.
#include "rules/form/algebra.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"

namespace mt {
namespace {

constexpr auto hardsigmoid_backward_of = [](auto g, auto x) {
  using T = decltype(g);
  return x > -3 && x < 3 ? g / 6 : T(0);
};

MT_OP(OpDef{
    .schema = {"hardsigmoid_backward(Tensor grad_output, Tensor self) -> Tensor"},
    .forms = internal,
    .doc = "Computes hardsigmoid's gradient: `grad_output` / 6 where -3 < `self` < 3, else 0.",
    .rule = pointwise(promoting),
    .cpu = elementwise<hardsigmoid_backward_of, 2, dtypes::floating>("hardsigmoid_backward_cpu"),
    .npu = {"HardsigmoidBackward"},
    .grad = {wrt("grad_output", [](Grad g, In<"self"> x) { return op<"hardsigmoid_backward">(g, x); }),
             wrt("self", [](Grad g) { return op<"zeros_like">(g); })},
});

}  // namespace
}  // namespace mt
