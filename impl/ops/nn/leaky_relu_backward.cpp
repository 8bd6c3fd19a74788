// leaky_relu_backward: the gradient of leaky_relu, from its input or its result.
#include "rules/form/algebra.h"
#include "rules/form/checked.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"

namespace mt {
namespace {

constexpr auto leaky_relu_backward_of = [](auto g, auto x, auto s) { return x > 0 ? g : g * s; };

// With a negative slope, the sign of a result does not determine the sign of its input: torch refuses a gradient from results.
void check_slope_of_result(const Call& call) {
  check(!Unbox<bool>::from(call.args[3]) || Unbox<Scalar>::from(call.args[2]).to_double() >= 0,
        "In-place leakyReLu backward calculation is triggered with a negative slope which is not supported. This is caused by calling "
        "in-place forward function with a negative slope, please call out-of-place version instead. File an issue at "
        "https://github.com/pytorch/pytorch if you do require supporting in-place leakRelu backward calculation with negative slope");
}

MT_OP(OpDef{
    .schema = {"leaky_relu_backward(Tensor grad_output, Tensor self, Scalar negative_slope, bool self_is_result) -> Tensor"},
    .forms = internal | out,
    .form_overloads = {{"out", "grad_input(grad_input)"}},
    .doc = "Computes the gradient of ``leaky_relu``, from its input or its result.",
    .rule = rule_after_check(check_slope_of_result, pointwise(promoting)),
    .cpu = elementwise<leaky_relu_backward_of, 3, dtypes::floating>("leaky_relu_backward_cpu"),
    .npu = {"LeakyReluBackward"},
    .grad = {wrt("grad_output",
                 [](Grad g, In<"self"> x, In<"negative_slope", Scalar> s) { return op<"leaky_relu_backward">(g, x, *s, false); }),
             wrt("self", [](Grad g) { return op<"zeros_like">(g); })},
});

}  // namespace
}  // namespace mt
