// sqrt: the square root.
#include "rules/algebra.h"
#include "rules/pointwise.h"
#include "rules/scalar_math.h"
#include "rules/sparse.h"

namespace mt {
namespace {

constexpr auto sqrt_of = [](auto x) { return sqrt_(x); };

MT_OP(OpDef{
    .schema = {"sqrt(Tensor self) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = "Square root of each element.",
    .rule = pointwise(promoting_to_float),
    .cpu = with_halves<sqrt_of, 1>(elementwise<sqrt_of, 1, dtypes::floating_and_complex>("sqrt_cpu")),
    .npu = {"Sqrt"},
    .sparse = on_values,
    .compressed = on_values,
    .grad = {wrt("self", [](Grad g, Out<"result"> y) { return g / (conj(y) * 2); })},
});

}  // namespace
}  // namespace mt
