// special_laguerre_polynomial_l: the Laguerre polynomial, L_n(x).
#include "rules/polynomial.h"

namespace mt {
namespace {

constexpr ThreeTerms terms{.y = {-1, 1}, .slope = {-0.0, 1}, .shift = {2}, .back = {1}, .divides = true};
constexpr auto polynomial = [](auto x, auto degree) {
  using T = decltype(x);
  const int64_t n = degree_of(degree);
  if (n < 0) return T(0);
  if (x == 0) return T(1);
  if (n > recurrence_limit) {  // Fejer: within n^-3/4 of it, where a recurrence would take for ever
    if (!(x > 0)) return x < 0 ? std::numeric_limits<T>::infinity() : x;
    const double y = double(x), scale = std::exp(y / 2) / std::sqrt(M_PI) / std::pow(double(n) * y, 0.25);
    return T(scale * std::cos(2 * std::sqrt(double(n) * y) - M_PI / 4));
  }
  return recurrence(terms, n, x);
};

MT_OP(OpDef{
    .schema = {"special_laguerre_polynomial_l(Tensor x, Tensor n) -> Tensor",
               "special_laguerre_polynomial_l.x_scalar(Scalar x, Tensor n) -> Tensor",
               "special_laguerre_polynomial_l.n_scalar(Tensor x, Scalar n) -> Tensor"},
    .forms = function | out,
    .doc = "The Laguerre polynomial, L_n(x); 0 for negative n.",
    .module = "special",
    .rule = pointwise({Promotion::to_float, true}),
    .cpu = polynomial_kernel<terms, polynomial>("laguerre_polynomial_l_cpu"),
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
