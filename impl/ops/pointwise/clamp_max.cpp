// clamp_max: elements not above `max`.
#include "rules/algebra.h"
#include "rules/pointwise.h"
#include "rules/scalar_math.h"

namespace mt {
namespace {

constexpr auto below = [](auto x, auto high) { return isnan_(x) ? x : isnan_(high) ? high : x > high ? high : x; };

MT_OP(OpDef{
    .schema = {"clamp_max(Tensor self, Scalar max) -> Tensor", "clamp_max.Tensor(Tensor self, Tensor max) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = "Elements not above `max`.",
    .rule = pointwise(promoting_with_scalars),
    .cpu = elementwise<below, 2, dtypes::real>("clamp_max_scalar_kernel_impl"),
    .grad = {wrt("self", [](Grad g, In<"self"> x, In<"max"> b) { return masked(op<"le">(x, b), g); }),
             wrt("max", [](Grad g, In<"self"> x, In<"max"> b) { return masked(op<"gt">(x, b), g); })},
    .grad_name = "ClampMaxBackward1",
    .overloads = {overload("", {.grad = {wrt("self", [](Grad g, In<"self"> x, In<"max", Scalar> b) { return masked(op<"le">(x, *b), g); })},
                                .grad_name = "ClampMaxBackward0"})},
});

}  // namespace
}  // namespace mt
