// special_log_ndtr: the logarithm of the normal distribution function.
#include "rules/normal_tail.h"

namespace mt {
namespace {

constexpr auto log_ndtr_of = [](auto x) { return decltype(x)(log_normal_cdf(double(x))); };

MT_OP(OpDef{
    .schema = {"special_log_ndtr(Tensor self) -> Tensor"},
    .forms = function | out,
    .doc = "The logarithm of the normal distribution function.",
    .module = "special",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise<log_ndtr_of, 1, float_and_double>("log_ndtr_cpu").with_grain(2048),
    .grad = {wrt("self", [](Grad g, In<"self"> x) {
      // density / cdf = sqrt(2 / pi) / erfcx(-x / sqrt 2).
      return g / op<"special_erfcx">(x * -0.70710678118654752440) * 0.79788456080286535588;
    })},
});

}  // namespace
}  // namespace mt
