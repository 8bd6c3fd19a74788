// acosh: the inverse hyperbolic cosine.
#include "rules/algebra.h"
#include "rules/pointwise.h"
#include "rules/vector_math.h"

namespace mt {
namespace {

constexpr auto acosh_of = [](auto x) __attribute__((always_inline)) { return vector_acosh(x); };

MT_OP(OpDef{
    .schema = {"acosh(Tensor self) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = "Inverse hyperbolic cosine of each element.",
    .aliases = "arccosh",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise<acosh_of, 1, dtypes::floating_and_complex>("acosh_cpu").with_grain(4096),
    .npu = {"Acosh"},
    .grad = {wrt("self", [](Grad g, In<"self"> x) { return g * conj(op<"rsqrt">(x * x - 1)); })},
});

}  // namespace
}  // namespace mt
