// ceil: rounding up.
#include "rules/algebra.h"
#include "rules/pointwise.h"
#include "rules/scalar_math.h"

namespace mt {
namespace {

constexpr auto ceil_of = [](auto x) { if constexpr (std::is_integral_v<decltype(x)>) return x; else return std::ceil(x); };

MT_OP(OpDef{
    .schema = {"ceil(Tensor self) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = "The smallest integer not below each element.",
    .rule = pointwise(promoting),
    .cpu = elementwise<ceil_of, 1, dtypes::real>("ceil_cpu"),
    .npu = {"Ceil"},
    .grad = {wrt("self", [](Grad g) { return op<"zeros_like">(g); })},
});

}  // namespace
}  // namespace mt
