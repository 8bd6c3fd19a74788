// special_legendre_polynomial_p: the Legendre polynomial, P_n(x).
#include "rules/special/polynomial.h"

namespace mt {
namespace {

constexpr ThreeTerms recurrence_terms{.slope = {2, 1}, .back = {1}, .divides = true};
constexpr auto evaluate_legendre_polynomial_p = [](auto x, auto degree) {
  using T = decltype(x);
  const int64_t n = degree_of(degree);
  if (n < 0) return T(0);
  if (x != x) return x;
  if (abs_(x) == 1) return x > 0 || n % 2 == 0 ? T(1) : T(-1);
  if (n > recurrence_limit) {  // Laplace and Heine: accurate to n^-3/2 where a recurrence would take too long
    if (!(abs_(x) < 1)) return x > 0 || n % 2 == 0 ? std::numeric_limits<T>::infinity() : -std::numeric_limits<T>::infinity();
    const double angle = std::acos(double(x)), order = double(n) + 0.5;
    return T(std::sqrt(2 / (M_PI * double(n) * std::sin(angle))) * std::cos(order * angle - M_PI / 4));
  }
  return evaluate_recurrence(recurrence_terms, n, x);
};

MT_OP(OpDef{
    .schema = {"special_legendre_polynomial_p(Tensor x, Tensor n) -> Tensor",
               "special_legendre_polynomial_p.x_scalar(Scalar x, Tensor n) -> Tensor",
               "special_legendre_polynomial_p.n_scalar(Tensor x, Scalar n) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes the Legendre polynomial P_n(x) (DLMF 18.3).

P_0 = 1, P_1 = x, (k + 1) P_(k+1) = (2 k + 1) x P_k - k P_(k-1). Degrees above 2^20 are computed
by the asymptotic form of Laplace and Heine (DLMF 18.15(iii)). `x` and `n` broadcast. The integer
part of `n` is the degree; negative degrees give 0. The result is float32 or float64: integers
are converted to the default float dtype, half and complex dtypes are refused. There is no
derivative.

Args:
    x (Tensor or number): where to evaluate; one of the two is a tensor.
    n (Tensor or number): the degree.

Returns:
    Tensor: the broadcast shape; float32 or float64.

Example:
    >>> torch.special.legendre_polynomial_p(0.5, torch.tensor([0, 1, 2, 3]))
    tensor([ 1.0000,  0.5000, -0.1250, -0.4375]))",
    .module = "special",
    .rule = pointwise({Promotion::to_float, true}),
    .cpu = polynomial_kernel<recurrence_terms, evaluate_legendre_polynomial_p>("legendre_polynomial_p_cpu"),
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
