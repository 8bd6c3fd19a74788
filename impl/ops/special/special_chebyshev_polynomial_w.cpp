// special_chebyshev_polynomial_w: the Chebyshev polynomial of the fourth kind, W_n(x).
#include "rules/special/polynomial.h"

namespace mt {
namespace {

constexpr ThreeTerms recurrence_terms{.first = {2, 1}, .oscillates_from = 9};
constexpr auto evaluate_chebyshev_polynomial_w = [](auto x, auto degree) {
  using T = decltype(x);
  const int64_t n = degree_of(degree);
  if (n < 0) return T(0);
  if (abs_(x) == 1) return x > 0 ? T(2 * n + 1) : n % 2 == 0 ? T(1) : T(-1);
  if (n > 8 && abs_(x) < 1) {
    const T angle = std::acos(x);
    if (std::cos(angle / 2) != 1) return T(std::sin((n + T(0.5)) * angle) / std::sin(angle / 2));
    return x > 0 ? T(2 * n + 1) : n % 2 == 0 ? T(1) : T(-1);
  }
  return evaluate_recurrence(recurrence_terms, n, x);
};

MT_OP(OpDef{
    .schema = {"special_chebyshev_polynomial_w(Tensor x, Tensor n) -> Tensor",
               "special_chebyshev_polynomial_w.x_scalar(Scalar x, Tensor n) -> Tensor",
               "special_chebyshev_polynomial_w.n_scalar(Tensor x, Scalar n) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes the Chebyshev polynomial of the fourth kind W_n(x).

W_0 = 1, W_1 = 2 x + 1, W_(k+1) = 2 x W_k - W_(k-1). Inside (-1, 1) degrees above 8 are computed
as sin((n + 1/2) t) / sin(t / 2) with x = cos(t). `x` and `n` broadcast. The integer part of `n`
is the degree; negative degrees give 0. The result is float32 or float64: integers are converted
to the default float dtype, half and complex dtypes are refused. There is no derivative.

Args:
    x (Tensor or number): where to evaluate; one of the two is a tensor.
    n (Tensor or number): the degree.

Returns:
    Tensor: the broadcast shape; float32 or float64.

Example:
    >>> torch.special.chebyshev_polynomial_w(0.5, torch.tensor([0, 1, 2, 3]))
    tensor([ 1.,  2.,  1., -1.]))",
    .module = "special",
    .rule = pointwise({Promotion::to_float, true}),
    .cpu = polynomial_kernel<recurrence_terms, evaluate_chebyshev_polynomial_w>("chebyshev_polynomial_w_cpu"),
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
