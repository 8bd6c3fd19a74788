// erfinv: the inverse of the error function.
#include "rules/algebra.h"
#include "rules/pointwise.h"
#include "rules/scalar_math.h"

namespace mt {
namespace {

// Winitzki's start, then two steps of Newton in double.
constexpr auto inverse_erf = [](auto given) {
  using T = decltype(given);
  const double y = double(given);
  if (y != y || y < -1 || y > 1) return T(__builtin_nan(""));
  if (y == 1 || y == -1) return T(y * __builtin_inf());
  const double w = std::log1p(-y * y), k = 2 / (3.14159265358979323846 * 0.147) + w / 2;
  double x = std::copysign(std::sqrt(std::sqrt(k * k - w / 0.147) - k), y);
  for (int i = 0; i < 3; ++i) {
    // Near the ends the complement keeps the difference exact.
    const double e = std::fabs(y) > 0.9 ? (y > 0 ? (1 - y) - std::erfc(x) : std::erfc(-x) - (1 + y)) : std::erf(x) - y;
    x -= (std::fabs(y) > 0.9 && y > 0 ? e : e) / (1.12837916709551257390 * std::exp(-x * x));
  }
  return T(x);
};

MT_OP(OpDef{
    .schema = {"erfinv(Tensor self) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = "The inverse of the error function.",
    .aliases = "special_erfinv",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise<inverse_erf, 1, dtypes::floating>("erfinv_cpu"),
    .grad = {wrt("self", [](Grad g, Out<"result"> y) { return g * (op<"exp">(y * y) * 0.88622692545275801365); })},
});

}  // namespace
}  // namespace mt
