// special_hermite_polynomial_he: the probabilists' Hermite polynomial, He_n(x).
#include "rules/polynomial.h"

namespace mt {
namespace {

constexpr ThreeTerms terms{.slope = {-0.0, 1}, .back = {1}};
constexpr auto polynomial = [](auto x, auto degree) {
  using T = decltype(x);
  const int64_t n = degree_of(degree);
  if (n < 0) return T(0);
  if (n > hermite_limit<T>) return T(__builtin_nan(""));
  return recurrence(terms, n, x);
};

MT_OP(OpDef{
    .schema = {"special_hermite_polynomial_he(Tensor x, Tensor n) -> Tensor",
               "special_hermite_polynomial_he.x_scalar(Scalar x, Tensor n) -> Tensor",
               "special_hermite_polynomial_he.n_scalar(Tensor x, Scalar n) -> Tensor"},
    .forms = function | out,
    .doc = "The probabilists' Hermite polynomial, He_n(x); 0 for negative n.",
    .module = "special",
    .rule = pointwise({Promotion::to_float, true}),
    .cpu = polynomial_kernel<terms, polynomial>("hermite_polynomial_he_cpu"),
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
