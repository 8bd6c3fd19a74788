// special_laguerre_polynomial_l: the Laguerre polynomial, L_n(x).
#include "rules/special/polynomial.h"

namespace mt {
namespace {

constexpr ThreeTerms recurrence_terms{.y = {-1, 1}, .slope = {-0.0, 1}, .shift = {2}, .back = {1}, .divides = true};
constexpr auto evaluate_laguerre_polynomial_l = [](auto x, auto degree) {
  using T = decltype(x);
  const int64_t n = degree_of(degree);
  if (n < 0) return T(0);
  if (x == 0) return T(1);
  if (n > recurrence_limit) {  // Fejer: accurate to n^-3/4 where a recurrence would take too long
    if (!(x > 0)) return x < 0 ? std::numeric_limits<T>::infinity() : x;
    const double y = double(x), scale = std::exp(y / 2) / std::sqrt(M_PI) / std::pow(double(n) * y, 0.25);
    return T(scale * std::cos(2 * std::sqrt(double(n) * y) - M_PI / 4));
  }
  return evaluate_recurrence(recurrence_terms, n, x);
};

MT_OP(OpDef{
    .schema = {"special_laguerre_polynomial_l(Tensor x, Tensor n) -> Tensor",
               "special_laguerre_polynomial_l.x_scalar(Scalar x, Tensor n) -> Tensor",
               "special_laguerre_polynomial_l.n_scalar(Tensor x, Scalar n) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes the Laguerre polynomial L_n(x) (DLMF 18.3).

L_0 = 1, L_1 = 1 - x, (k + 1) L_(k+1) = (2 k + 1 - x) L_k - k L_(k-1). Degrees above 2^20 are
computed by Fejer's asymptotic form (DLMF 18.15(iv)). `x` and `n` broadcast. The integer part of
`n` is the degree; negative degrees give 0. The result is float32 or float64: integers are
converted to the default float dtype, half and complex dtypes are refused. There is no
derivative.

Args:
    x (Tensor or number): where to evaluate; one of the two is a tensor.
    n (Tensor or number): the degree.

Returns:
    Tensor: the broadcast shape; float32 or float64.

Example:
    >>> torch.special.laguerre_polynomial_l(0.5, torch.tensor([0, 1, 2, 3]))
    tensor([ 1.0000,  0.5000,  0.1250, -0.1458]))",
    .module = "special",
    .rule = pointwise({Promotion::to_float, true}),
    .cpu = polynomial_kernel<recurrence_terms, evaluate_laguerre_polynomial_l>("laguerre_polynomial_l_cpu"),
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
