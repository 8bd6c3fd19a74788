// tan: the tangent.
#include "dispatch/autocast.h"
#include "rules/algebra.h"
#include "rules/pointwise.h"
#include "rules/scalar_math.h"

namespace mt {
namespace {

constexpr auto tan_of = [](auto x) __attribute__((always_inline)) { return tan_(x); };

MT_OP(OpDef{
    .schema = {"tan(Tensor self) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = "Tangent of each element (radians).",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise<tan_of, 1, dtypes::floating_and_complex>("tan_cpu").with_grain(4096),
    .npu = {"Tan"},
    .autocast = on_npu(Autocast::fp32),
    .grad = {wrt("self", [](Grad g, Out<"result"> y) { return g * conj(y * y + 1); })},
});

}  // namespace
}  // namespace mt
