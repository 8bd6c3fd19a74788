// hardshrink_backward: the gradient outside [-lambd, lambd].
#include "rules/form/algebra.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"

namespace mt {
namespace {

constexpr auto hardshrink_backward_of = [](auto g, auto x, auto l) { return x >= -l && x <= l ? decltype(g)(0) : g; };

MT_OP(OpDef{
    .schema = {"hardshrink_backward(Tensor grad_out, Tensor self, Scalar lambd) -> Tensor"},
    .forms = internal | out,
    .form_overloads = {{"out", "grad_input(grad_input)"}},
    .doc = "Passes the gradient outside of ``[-lambd, lambd]``: that of ``hardshrink``.",
    .rule = pointwise(promoting),
    .cpu = elementwise<hardshrink_backward_of, 3, dtypes::floating>("shrink_backward_cpu"),
    .npu = {"HardshrinkBackward"},
    .grad = {wrt("grad_out", [](Grad g, In<"self"> x, In<"lambd", Scalar> l) { return op<"hardshrink_backward">(g, x, *l); }),
             wrt("self", [](Grad g) { return op<"zeros_like">(g); })},
});

}  // namespace
}  // namespace mt
