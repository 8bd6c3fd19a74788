// special_chebyshev_polynomial_v: the Chebyshev polynomial of the third kind, V_n(x).
#include "rules/polynomial.h"

namespace mt {
namespace {

constexpr ThreeTerms terms{.first = {2, -1}, .oscillates_from = 9};
constexpr auto polynomial = [](auto x, auto degree) {
  using T = decltype(x);
  const int64_t n = degree_of(degree);
  if (n < 0) return T(0);
  if (abs_(x) == 1) return x > 0 ? T(1) : n % 2 == 0 ? T(2 * n + 1) : -T(2 * n + 1);
  if (n > 8 && abs_(x) < 1) {
    const T angle = std::acos(x);
    if (std::sin(angle / 2) != 1) return T(std::cos((n + T(0.5)) * angle) / std::cos(angle / 2));
    return n % 2 == 0 ? T(2 * n + 1) : -T(2 * n + 1);
  }
  return recurrence(terms, n, x);
};

MT_OP(OpDef{
    .schema = {"special_chebyshev_polynomial_v(Tensor x, Tensor n) -> Tensor",
               "special_chebyshev_polynomial_v.x_scalar(Scalar x, Tensor n) -> Tensor",
               "special_chebyshev_polynomial_v.n_scalar(Tensor x, Scalar n) -> Tensor"},
    .forms = function | out,
    .doc = "The Chebyshev polynomial of the third kind, V_n(x); 0 for negative n.",
    .module = "special",
    .rule = pointwise({Promotion::to_float, true}),
    .cpu = polynomial_kernel<terms, polynomial>("chebyshev_polynomial_v_cpu"),
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
