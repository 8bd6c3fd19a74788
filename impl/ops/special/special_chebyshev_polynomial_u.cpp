// special_chebyshev_polynomial_u: the Chebyshev polynomial of the second kind, U_n(x).
#include "rules/special/polynomial.h"

namespace mt {
namespace {

constexpr ThreeTerms recurrence_terms{.first = {2}, .oscillates_from = 9};
constexpr auto evaluate_chebyshev_polynomial_u = [](auto x, auto degree) {
  using T = decltype(x);
  const int64_t n = degree_of(degree);
  if (n < 0) return T(0);
  if (abs_(x) == 1) return x > 0 || n % 2 == 0 ? T(n + 1) : -T(n + 1);
  if (n > 8 && abs_(x) < 1) {
    const T angle = std::acos(x), sine = std::sin(angle);
    return sine != 0 ? T(std::sin((n + 1) * angle) / sine) : T((n + 1) * std::cos((n + 1) * angle) / x);
  }
  return evaluate_recurrence(recurrence_terms, n, x);
};

MT_OP(OpDef{
    .schema = {"special_chebyshev_polynomial_u(Tensor x, Tensor n) -> Tensor",
               "special_chebyshev_polynomial_u.x_scalar(Scalar x, Tensor n) -> Tensor",
               "special_chebyshev_polynomial_u.n_scalar(Tensor x, Scalar n) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes the Chebyshev polynomial of the second kind U_n(x) (DLMF 18.3).

U_0 = 1, U_1 = 2 x, U_(k+1) = 2 x U_k - U_(k-1). Inside (-1, 1) degrees above 8 are computed as
sin((n + 1) t) / sin(t) with x = cos(t). `x` and `n` broadcast. The integer part of `n` is the
degree; negative degrees give 0. The result is float32 or float64: integers are converted to the
default float dtype, half and complex dtypes are refused. There is no derivative.

Args:
    x (Tensor or number): where to evaluate; one of the two is a tensor.
    n (Tensor or number): the degree.

Returns:
    Tensor: the broadcast shape; float32 or float64.

Example:
    >>> torch.special.chebyshev_polynomial_u(0.5, torch.tensor([0, 1, 2, 3]))
    tensor([ 1.,  1.,  0., -1.]))",
    .module = "special",
    .rule = pointwise({Promotion::to_float, true}),
    .cpu = polynomial_kernel<recurrence_terms, evaluate_chebyshev_polynomial_u>("chebyshev_polynomial_u_cpu"),
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
