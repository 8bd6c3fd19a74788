// special_hermite_polynomial_h: the physicists' Hermite polynomial, H_n(x).
#include "rules/polynomial.h"

namespace mt {
namespace {

constexpr auto polynomial = [](auto x, auto degree) {
  using T = decltype(x);
  const int64_t n = degree_of(degree);
  if (n < 0) return T(0);
  if (n > hermite_limit<T>) return T(__builtin_nan(""));
  return recurrence(n, T(1), x + x, [=](T p, T q, int64_t k) { return std::fma(x + x, q, -(T(2 * k) * p)); });
};

MT_OP(OpDef{
    .schema = {"special_hermite_polynomial_h(Tensor x, Tensor n) -> Tensor",
               "special_hermite_polynomial_h.x_scalar(Scalar x, Tensor n) -> Tensor",
               "special_hermite_polynomial_h.n_scalar(Tensor x, Scalar n) -> Tensor"},
    .forms = function | out,
    .doc = "The physicists' Hermite polynomial, H_n(x); 0 for negative n.",
    .module = "special",
    .rule = pointwise({Promotion::to_float, true}),
    .cpu = elementwise<polynomial, 2, float_and_double>("hermite_polynomial_h_cpu").with_grain(2048),
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
