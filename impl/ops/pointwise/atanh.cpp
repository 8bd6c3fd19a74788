// atanh: the inverse hyperbolic tangent.
#include "rules/algebra.h"
#include "rules/pointwise.h"
#include "rules/sparse.h"
#include "rules/vector_math.h"

namespace mt {
namespace {

constexpr auto atanh_of = [](auto x) __attribute__((always_inline)) { return vector_atanh(x); };

MT_OP(OpDef{
    .schema = {"atanh(Tensor self) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = "Inverse hyperbolic tangent of each element.",
    .aliases = "arctanh",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise<atanh_of, 1, dtypes::floating_and_complex>("atanh_cpu").with_grain(4096),
    .npu = {"Atanh"},
    .sparse = on_values,
    .compressed = on_values,
    .grad = {wrt("self", [](Grad g, In<"self"> x) { return g / conj(1 - x * x); })},
});

}  // namespace
}  // namespace mt
