// lgamma: the logarithm of the absolute gamma function.
#include "rules/algebra.h"
#include "rules/pointwise.h"
#include "rules/scalar_math.h"

namespace mt {
namespace {

constexpr auto lgamma_of = [](auto x) { return lgamma_(x); };

MT_OP(OpDef{
    .schema = {"lgamma(Tensor self) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = "log|gamma(x)| for each element.",
    .aliases = "special_gammaln",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise<lgamma_of, 1, dtypes::floating>("lgamma_cpu").with_grain(4096),
    .grad = {wrt("self", [](Grad g, In<"self"> x) { return g * op<"digamma">(x); })},
});

}  // namespace
}  // namespace mt
