// special_shifted_chebyshev_polynomial_t: the shifted Chebyshev polynomial of the first kind, T_n(2 x - 1).
#include "rules/polynomial.h"

namespace mt {
namespace {

constexpr ThreeTerms terms{.y = {2, -1}, .oscillates_from = 7};
constexpr auto polynomial = [](auto x, auto degree) {
  using T = decltype(x);
  const int64_t n = degree_of(degree);
  if (n < 0) return T(0);
  const T y = x + x - 1;
  if (y == 1) return T(1);
  if (y == -1) return n % 2 == 0 ? T(1) : T(-1);
  if (n > 6 && abs_(y) < 1) return T(std::cos(n * std::acos(y)));
  return recurrence(terms, n, x);
};

MT_OP(OpDef{
    .schema = {"special_shifted_chebyshev_polynomial_t(Tensor x, Tensor n) -> Tensor",
               "special_shifted_chebyshev_polynomial_t.x_scalar(Scalar x, Tensor n) -> Tensor",
               "special_shifted_chebyshev_polynomial_t.n_scalar(Tensor x, Scalar n) -> Tensor"},
    .forms = function | out,
    .doc = "The shifted Chebyshev polynomial of the first kind, T_n(2 x - 1); 0 for negative n.",
    .module = "special",
    .rule = pointwise({Promotion::to_float, true}),
    .cpu = polynomial_kernel<terms, polynomial>("shifted_chebyshev_polynomial_t_cpu"),
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
