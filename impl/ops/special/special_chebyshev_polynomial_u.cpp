// special_chebyshev_polynomial_u: the Chebyshev polynomial of the second kind, U_n(x).
#include "rules/polynomial.h"

namespace mt {
namespace {

constexpr ThreeTerms terms{.first = {2}, .oscillates_from = 9};
constexpr auto polynomial = [](auto x, auto degree) {
  using T = decltype(x);
  const int64_t n = degree_of(degree);
  if (n < 0) return T(0);
  if (abs_(x) == 1) return x > 0 || n % 2 == 0 ? T(n + 1) : -T(n + 1);
  if (n > 8 && abs_(x) < 1) {
    const T angle = std::acos(x), sine = std::sin(angle);
    return sine != 0 ? T(std::sin((n + 1) * angle) / sine) : T((n + 1) * std::cos((n + 1) * angle) / x);
  }
  return recurrence(terms, n, x);
};

MT_OP(OpDef{
    .schema = {"special_chebyshev_polynomial_u(Tensor x, Tensor n) -> Tensor",
               "special_chebyshev_polynomial_u.x_scalar(Scalar x, Tensor n) -> Tensor",
               "special_chebyshev_polynomial_u.n_scalar(Tensor x, Scalar n) -> Tensor"},
    .forms = function | out,
    .doc = "The Chebyshev polynomial of the second kind, U_n(x); 0 for negative n.",
    .module = "special",
    .rule = pointwise({Promotion::to_float, true}),
    .cpu = polynomial_kernel<terms, polynomial>("chebyshev_polynomial_u_cpu"),
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
