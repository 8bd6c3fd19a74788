// softshrink: x pulled towards zero.
#include "rules/algebra.h"
#include "rules/pointwise.h"
#include "rules/scalar_math.h"

namespace mt {
namespace {

constexpr auto softshrink_of = [](auto x, auto l) { return x > l ? x - l : x < -l ? x + l : isnan_(x) ? x : x * 0; };

MT_OP(OpDef{
    .schema = {"softshrink(Tensor self, Scalar lambd=0.5) -> Tensor"},
    .forms = function | out,
    .doc = "x - lambd or x + lambd outside of [-lambd, lambd], 0 inside.",
    .module = "nn",
    .rule = pointwise(promoting),
    .cpu = elementwise<softshrink_of, 2, dtypes::floating>("softshrink_cpu"),
    .grad = {wrt("self", [](Grad g, In<"self"> x, In<"lambd", Scalar> l) { return op<"where">(op<"le">(op<"abs">(x), *l), 0, g); })},
});

}  // namespace
}  // namespace mt
