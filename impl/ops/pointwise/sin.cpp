// sin: the sine.
#include "rules/algebra.h"
#include "rules/large_angles.h"
#include "rules/scalar_math.h"
#include "rules/sparse.h"

namespace mt {
namespace {

constexpr auto sin_of = [](auto x) __attribute__((always_inline)) { return sin_(x); };
constexpr auto sin_of_large = [](float x) { return float(std::sin(double(x))); };

MT_OP(OpDef{
    .schema = {"sin(Tensor self) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = "Sine of each element (radians).",
    .rule = pointwise(promoting_to_float),
    .cpu = with_large_angles<sin_of, sin_of_large>(elementwise<sin_of, 1, dtypes::floating_and_complex>("sin_cpu")).with_grain(4096),
    .npu = {"Sin"},
    .sparse = on_values,
    .compressed = on_values,
    .grad = {wrt("self", [](Grad g, In<"self"> x) { return g * conj(op<"cos">(x)); })},
});

}  // namespace
}  // namespace mt
