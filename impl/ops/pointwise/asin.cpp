// asin: the inverse sine.
#include "dispatch/autocast.h"
#include "rules/algebra.h"
#include "rules/pointwise.h"
#include "rules/sparse.h"
#include "rules/vector_math.h"

namespace mt {
namespace {

constexpr auto asin_of = [](auto x) __attribute__((always_inline)) { return vector_asin(x); };

MT_OP(OpDef{
    .schema = {"asin(Tensor self) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = "Inverse sine of each element, in radians.",
    .aliases = "arcsin",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise<asin_of, 1, dtypes::floating_and_complex>("asin_cpu").with_grain(4096),
    .npu = {"Asin"},
    .sparse = on_values,
    .compressed = on_values,
    .autocast = on_npu(Autocast::fp32),
    .grad = {wrt("self", [](Grad g, In<"self"> x) { return g * conj(op<"rsqrt">(1 - x * x)); })},
});

}  // namespace
}  // namespace mt
