// special_hermite_polynomial_h: the physicists' Hermite polynomial, H_n(x).
#include "rules/polynomial.h"

namespace mt {
namespace {

constexpr ThreeTerms terms{.first = {2}, .back = {2}};
constexpr auto polynomial = [](auto x, auto degree) {
  using T = decltype(x);
  const int64_t n = degree_of(degree);
  if (n < 0) return T(0);
  if (n > hermite_limit<T>) return T(__builtin_nan(""));
  return recurrence(terms, n, x);
};

MT_OP(OpDef{
    .schema = {"special_hermite_polynomial_h(Tensor x, Tensor n) -> Tensor",
               "special_hermite_polynomial_h.x_scalar(Scalar x, Tensor n) -> Tensor",
               "special_hermite_polynomial_h.n_scalar(Tensor x, Scalar n) -> Tensor"},
    .forms = function | out,
    .doc = "The physicists' Hermite polynomial, H_n(x); 0 for negative n.",
    .module = "special",
    .rule = pointwise({Promotion::to_float, true}),
    .cpu = polynomial_kernel<terms, polynomial>("hermite_polynomial_h_cpu"),
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
