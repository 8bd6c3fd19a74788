// special_log_ndtr: the logarithm of the normal distribution function.
#include "rules/scalar_math.h"
#include "rules/special.h"

namespace mt {
namespace {

// By erfc(z) = exp(-z^2) scaled_erfc(z): below zero the logarithm of the power is known, and does not underflow.
constexpr auto log_ndtr_of = [](auto x) __attribute__((always_inline)) {
  using T = decltype(x);
  const double z = double(x) * 0.70710678118654752440, size = abs_(z), square = z * z;
  const double half = (sizeof(T) == 4 ? mt_vec_float_scaled_erfc(size) : mt_vec_scaled_erfc(size)) / 2;
  const bool low = x < 0;
  const double y = log1p_(select_(low, half - 1, -half * exp_(-square)));
  return T(y - select_(low, square, 0.0));
};

MT_OP(OpDef{
    .schema = {"special_log_ndtr(Tensor self) -> Tensor"},
    .forms = function | out,
    .doc = "The logarithm of the normal distribution function.",
    .module = "special",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise_of_calls<log_ndtr_of, 1>("log_ndtr_cpu"),
    .grad = {wrt("self", [](Grad g, In<"self"> x) {
      // density / cdf = sqrt(2 / pi) / erfcx(-x / sqrt 2).
      return g / op<"special_erfcx">(x * -0.70710678118654752440) * 0.79788456080286535588;
    })},
});

}  // namespace
}  // namespace mt
