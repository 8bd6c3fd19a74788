// leaky_relu_backward: the gradient of leaky_relu, from its input or its result.
#include "rules/algebra.h"
#include "rules/pointwise.h"
#include "rules/scalar_math.h"

namespace mt {
namespace {

constexpr auto passed = [](auto g, auto x, auto s) { return x > 0 ? g : g * s; };

MT_OP(OpDef{
    .schema = {"leaky_relu_backward(Tensor grad_output, Tensor self, Scalar negative_slope, bool self_is_result) -> Tensor"},
    .forms = internal | out,
    .form_overloads = {{"out", "grad_input"}},
    .doc = "Computes the gradient of ``leaky_relu``, from its input or its result.",
    .rule = pointwise(promoting),
    .cpu = elementwise<passed, 3, dtypes::floating>("leaky_relu_backward_cpu"),
    .npu = {"LeakyReluBackward"},
    .grad = {wrt("grad_output",
                 [](Grad g, In<"self"> x, In<"negative_slope", Scalar> s) { return op<"leaky_relu_backward">(g, x, *s, false); }),
             wrt("self", [](Grad g) { return op<"zeros_like">(g); })},
});

}  // namespace
}  // namespace mt
