// atan: the inverse tangent.
#include "rules/algebra.h"
#include "rules/pointwise.h"
#include "rules/sparse.h"
#include "rules/vector_math.h"

namespace mt {
namespace {

constexpr auto atan_of = [](auto x) __attribute__((always_inline)) { return vector_atan(x); };

MT_OP(OpDef{
    .schema = {"atan(Tensor self) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = "Inverse tangent of each element, in radians.",
    .aliases = "arctan",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise<atan_of, 1, dtypes::floating_and_complex>("atan_cpu").with_grain(4096),
    .npu = {"Atan"},
    .sparse = on_values,
    .compressed = on_values,
    .grad = {wrt("self", [](Grad g, In<"self"> x) { return g / conj(x * x + 1); })},
});

}  // namespace
}  // namespace mt
