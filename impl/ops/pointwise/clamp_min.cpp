// clamp_min: elements not below `min`.
#include "rules/algebra.h"
#include "rules/pointwise.h"
#include "rules/scalar_math.h"

namespace mt {
namespace {

constexpr auto above = [](auto x, auto low) { return isnan_(x) ? x : isnan_(low) ? low : x < low ? low : x; };

MT_OP(OpDef{
    .schema = {"clamp_min(Tensor self, Scalar min) -> Tensor", "clamp_min.Tensor(Tensor self, Tensor min) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = "Elements not below `min`.",
    .rule = pointwise(promoting_with_scalars),
    .cpu = elementwise<above, 2, dtypes::real>("clamp_min_scalar_kernel_impl"),
    .grad = {wrt("self", [](Grad g, In<"self"> x, In<"min"> a) { return masked(op<"ge">(x, a), g); }),
             wrt("min", [](Grad g, In<"self"> x, In<"min"> a) { return masked(op<"lt">(x, a), g); })},
    .grad_name = "ClampMinBackward1",
    .overloads = {overload("", {.grad = {wrt("self", [](Grad g, In<"self"> x, In<"min", Scalar> a) { return masked(op<"ge">(x, *a), g); })},
                                .grad_name = "ClampMinBackward0"})},
});

}  // namespace
}  // namespace mt
