// heaviside: 0 below zero, 1 above, `values` at zero.
#include "rules/algebra.h"
#include "rules/pointwise.h"
#include "rules/scalar_math.h"

namespace mt {
namespace {

constexpr auto step = [](auto x, auto v) { return isnan_(x) ? x : x == 0 ? v : decltype(x)(x > 0); };

MT_OP(OpDef{
    .schema = {"heaviside(Tensor self, Tensor values) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = "0 below zero, 1 above, `values` at zero.",
    .rule = pointwise(same_dtype),
    .cpu = elementwise<step, 2, dtypes::real_and_bool>("heaviside_cpu"),
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
