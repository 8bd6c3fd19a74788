// acos: the inverse cosine.
#include "dispatch/autocast.h"
#include "rules/algebra.h"
#include "rules/pointwise.h"
#include "rules/vector_math.h"

namespace mt {
namespace {

constexpr auto acos_of = [](auto x) __attribute__((always_inline)) { return vector_acos(x); };

MT_OP(OpDef{
    .schema = {"acos(Tensor self) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = "Inverse cosine of each element, in radians.",
    .aliases = "arccos",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise<acos_of, 1, dtypes::floating_and_complex>("acos_cpu").with_grain(4096),
    .npu = {"Acos"},
    .autocast = on_npu(Autocast::fp32),
    .grad = {wrt("self", [](Grad g, In<"self"> x) { return g * -conj(op<"rsqrt">(1 - x * x)); })},
});

}  // namespace
}  // namespace mt
