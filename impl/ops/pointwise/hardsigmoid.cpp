// hardsigmoid: a piecewise approximation of the logistic function.
#include "rules/algebra.h"
#include "rules/pointwise.h"
#include "rules/scalar_math.h"

namespace mt {
namespace {

constexpr auto hardsigmoid_of = [](auto x) { using T = decltype(x); T y = x + 3; y = y < 0 ? T(0) : y > 6 ? T(6) : y; return y / 6; };

MT_OP(OpDef{
    .schema = {"hardsigmoid(Tensor self) -> Tensor"},
    .forms = function | inplace_function | out,
    .doc = "clamp(x + 3, 0, 6) / 6 for each element.",
    .module = "nn",
    .rule = pointwise(promoting),
    .cpu = elementwise<hardsigmoid_of, 1, dtypes::floating>("hardsigmoid_cpu"),
    .npu = {"Hardsigmoid"},
    .grad = {wrt("self", [](Grad g, In<"self"> x) { return op<"hardsigmoid_backward">(g, x); })},
});

}  // namespace
}  // namespace mt
