// special_log_ndtr: the logarithm of the normal distribution function.
#include "rules/pointwise/scalar_math.h"
#include "rules/special/special.h"

namespace mt {
namespace {

// From erfc(z) = exp(-z^2) erfcx(z): below zero the logarithm of the exponential is exact, and nothing underflows.
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
    .doc = R"(Computes the logarithm of the standard normal distribution function of each element.

Far below zero, where the function itself underflows, the result keeps its digits: it is computed
from erfcx. float32 and float64 only; integer and bool input is converted to the default float
dtype. The gradient is sqrt(2 / pi) / erfcx(-x / sqrt(2)).

Args:
    self (Tensor): any shape; float32, float64, integer or bool.

Returns:
    Tensor: shape of the input; float32 or float64.

Example:
    >>> torch.special.log_ndtr(torch.tensor([0.0, -10.0, 3.0]))
    tensor([-6.9315e-01, -5.3231e+01, -1.3508e-03]))",
    .module = "special",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise_by_vector_calls<log_ndtr_of, 1>("log_ndtr_cpu"),
    .grad = {wrt("self",
                 [](Grad g, In<"self"> x) {
                   // density / cdf = sqrt(2 / pi) / erfcx(-x / sqrt 2).
                   return g / op<"special_erfcx">(x * -0.70710678118654752440) * 0.79788456080286535588;
                 })},
});

}  // namespace
}  // namespace mt
