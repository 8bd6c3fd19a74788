// floor: rounding down.
#include "rules/algebra.h"
#include "rules/pointwise.h"
#include "rules/scalar_math.h"

namespace mt {
namespace {

constexpr auto floor_of = [](auto x) { if constexpr (std::is_integral_v<decltype(x)>) return x; else return std::floor(x); };

MT_OP(OpDef{
    .schema = {"floor(Tensor self) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = "The largest integer not above each element.",
    .rule = pointwise(promoting),
    .cpu = elementwise<floor_of, 1, dtypes::real>("floor_cpu"),
    .npu = {"Floor"},
    .grad = {wrt("self", [](Grad g) { return op<"zeros_like">(g); })},
});

}  // namespace
}  // namespace mt
