// cos: the cosine.
#include "rules/algebra.h"
#include "rules/large_angles.h"
#include "rules/scalar_math.h"

namespace mt {
namespace {

constexpr auto cos_of = [](auto x) __attribute__((always_inline)) { return cos_(x); };
constexpr auto cos_of_large = [](float x) { return float(std::cos(double(x))); };

MT_OP(OpDef{
    .schema = {"cos(Tensor self) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = "Cosine of each element (radians).",
    .rule = pointwise(promoting_to_float),
    .cpu = with_large_angles<cos_of, cos_of_large>(elementwise<cos_of, 1, dtypes::floating_and_complex>("cos_cpu")).with_grain(4096),
    .npu = {"Cos"},
    .grad = {wrt("self", [](Grad g, In<"self"> x) { return g * -conj(op<"sin">(x)); })},
});

}  // namespace
}  // namespace mt
