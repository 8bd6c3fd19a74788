// special_shifted_chebyshev_polynomial_u: the shifted Chebyshev polynomial of the second kind, U_n(2 x - 1).
#include "rules/special/polynomial.h"

namespace mt {
namespace {

constexpr ThreeTerms recurrence_terms{.y = {2, -1}, .first = {2}, .oscillates_from = 7};
constexpr auto evaluate_shifted_chebyshev_polynomial_u = [](auto x, auto degree) {
  using T = decltype(x);
  const int64_t n = degree_of(degree);
  if (n < 0) return T(0);
  const T y = x + x - 1;
  if (y == 1) return T(n + 1);
  if (y == -1) return n % 2 == 0 ? T(n + 1) : -T(n + 1);
  if (n > 6 && abs_(y) < 1) {
    const T angle = std::acos(y), sine = std::sin(angle);
    return sine != 0 ? T(std::sin((n + 1) * angle) / sine) : T((n + 1) * std::cos((n + 1) * angle) / y);
  }
  return evaluate_recurrence(recurrence_terms, n, x);
};

MT_OP(OpDef{
    .schema = {"special_shifted_chebyshev_polynomial_u(Tensor x, Tensor n) -> Tensor",
               "special_shifted_chebyshev_polynomial_u.x_scalar(Scalar x, Tensor n) -> Tensor",
               "special_shifted_chebyshev_polynomial_u.n_scalar(Tensor x, Scalar n) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes the shifted Chebyshev polynomial of the second kind: U_n(2 x - 1) (DLMF 18.3).

With y = 2 x - 1: U_0 = 1, U_1 = 2 y, U_(k+1) = 2 y U_k - U_(k-1); for x in (0, 1) degrees above
6 are computed as sin((n + 1) t) / sin(t) with y = cos(t). `x` and `n` broadcast. The integer
part of `n` is the degree; negative degrees give 0. The result is float32 or float64: integers
are converted to the default float dtype, half and complex dtypes are refused. There is no
derivative.

Args:
    x (Tensor or number): where to evaluate; one of the two is a tensor.
    n (Tensor or number): the degree.

Returns:
    Tensor: the broadcast shape; float32 or float64.

Example:
    >>> torch.special.shifted_chebyshev_polynomial_u(0.75, torch.tensor([0, 1, 2, 3]))
    tensor([ 1.,  1.,  0., -1.]))",
    .module = "special",
    .rule = pointwise({Promotion::to_float, true}),
    .cpu = polynomial_kernel<recurrence_terms, evaluate_shifted_chebyshev_polynomial_u>("shifted_chebyshev_polynomial_u_cpu"),
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
