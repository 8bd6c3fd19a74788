// special_chebyshev_polynomial_t: the Chebyshev polynomial of the first kind, T_n(x).
#include "rules/special/polynomial.h"

namespace mt {
namespace {

constexpr ThreeTerms recurrence_terms{.oscillates_from = 7};
constexpr auto evaluate_chebyshev_polynomial_t = [](auto x, auto degree) {
  using T = decltype(x);
  const int64_t n = degree_of(degree);
  if (n < 0) return T(0);
  if (abs_(x) == 1) return x > 0 || n % 2 == 0 ? T(1) : T(-1);
  if (n > 6 && abs_(x) < 1) return T(std::cos(n * std::acos(x)));
  return evaluate_recurrence(recurrence_terms, n, x);
};

MT_OP(OpDef{
    .schema = {"special_chebyshev_polynomial_t(Tensor x, Tensor n) -> Tensor",
               "special_chebyshev_polynomial_t.x_scalar(Scalar x, Tensor n) -> Tensor",
               "special_chebyshev_polynomial_t.n_scalar(Tensor x, Scalar n) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes the Chebyshev polynomial of the first kind T_n(x) (DLMF 18.3).

T_0 = 1, T_1 = x, T_(k+1) = 2 x T_k - T_(k-1). Inside (-1, 1) degrees above 6 are computed as
cos(n arccos x). `x` and `n` broadcast. The integer part of `n` is the degree; negative degrees
give 0. The result is float32 or float64: integers are converted to the default float dtype, half
and complex dtypes are refused. There is no derivative.

Args:
    x (Tensor or number): where to evaluate; one of the two is a tensor.
    n (Tensor or number): the degree.

Returns:
    Tensor: the broadcast shape; float32 or float64.

Example:
    >>> torch.special.chebyshev_polynomial_t(0.5, torch.tensor([0, 1, 2, 3]))
    tensor([ 1.0000,  0.5000, -0.5000, -1.0000]))",
    .module = "special",
    .rule = pointwise({Promotion::to_float, true}),
    .cpu = polynomial_kernel<recurrence_terms, evaluate_chebyshev_polynomial_t>("chebyshev_polynomial_t_cpu"),
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
