// trunc: rounding towards zero.
#include "rules/algebra.h"
#include "rules/pointwise.h"
#include "rules/scalar_math.h"

namespace mt {
namespace {

constexpr auto trunc_of = [](auto x) { if constexpr (std::is_integral_v<decltype(x)>) return x; else return std::trunc(x); };

MT_OP(OpDef{
    .schema = {"trunc(Tensor self) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = "Each element without its fraction.",
    .aliases = "fix",
    .rule = pointwise(promoting),
    .cpu = elementwise<trunc_of, 1, dtypes::real>("trunc_cpu"),
    .npu = {"Trunc"},
    .grad = {wrt("self", [](Grad g) { return op<"zeros_like">(g); })},
});

}  // namespace
}  // namespace mt
