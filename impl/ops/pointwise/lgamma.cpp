// lgamma: the logarithm of the absolute gamma function.
#include "cpu/vecmath_special.h"
#include "rules/algebra.h"
#include "rules/pointwise.h"

namespace mt {
namespace {

// Forced: flatten leaves a call to a body of this size, and a loop with a call stays scalar.
constexpr auto lgamma_of = [](auto x) __attribute__((always_inline)) { return cpu::vec::lgamma(x); };

MT_OP(OpDef{
    .schema = {"lgamma(Tensor self) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = "log|gamma(x)| for each element.",
    .aliases = "special_gammaln",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise<lgamma_of, 1, dtypes::floating>("lgamma_vml_cpu").with_grain(4096),
    .npu = {"Lgamma"},
    .grad = {wrt("self", [](Grad g, In<"self"> x) { return g * op<"digamma">(x); })},
});

}  // namespace
}  // namespace mt
