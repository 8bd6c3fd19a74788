// special_shifted_chebyshev_polynomial_v: the shifted Chebyshev polynomial of the third kind, V_n(2 x - 1).
#include "rules/polynomial.h"

namespace mt {
namespace {

constexpr auto polynomial = [](auto x, auto degree) {
  using T = decltype(x);
  const int64_t n = degree_of(degree);
  if (n < 0) return T(0);
  const T y = x + x - 1;
  if (y == 1) return T(1);
  if (y == -1) return n % 2 == 0 ? T(2 * n + 1) : -T(2 * n + 1);
  if (n > 6 && abs_(y) < 1) {
    const T angle = std::acos(y);
    if (std::sin(angle / 2) != 1) return T(std::cos((n + T(0.5)) * angle) / std::cos(angle / 2));
    return n % 2 == 0 ? T(2 * n + 1) : -T(2 * n + 1);
  }
  return recurrence(n, T(1), y + y - 1, [=](T p, T q, int64_t) { return std::fma(y + y, q, -p); });
};

MT_OP(OpDef{
    .schema = {"special_shifted_chebyshev_polynomial_v(Tensor x, Tensor n) -> Tensor",
               "special_shifted_chebyshev_polynomial_v.x_scalar(Scalar x, Tensor n) -> Tensor",
               "special_shifted_chebyshev_polynomial_v.n_scalar(Tensor x, Scalar n) -> Tensor"},
    .forms = function | out,
    .doc = "The shifted Chebyshev polynomial of the third kind, V_n(2 x - 1); 0 for negative n.",
    .module = "special",
    .rule = pointwise({Promotion::to_float, true}),
    .cpu = elementwise<polynomial, 2, float_and_double>("shifted_chebyshev_polynomial_v_cpu").with_grain(2048),
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
