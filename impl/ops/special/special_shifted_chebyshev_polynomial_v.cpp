// special_shifted_chebyshev_polynomial_v: the shifted Chebyshev polynomial of the third kind, V_n(2 x - 1).
#include "rules/special/polynomial.h"

namespace mt {
namespace {

constexpr ThreeTerms recurrence_terms{.y = {2, -1}, .first = {2, -1}, .oscillates_from = 7};
constexpr auto evaluate_shifted_chebyshev_polynomial_v = [](auto x, auto degree) {
  using T = decltype(x);
  const int64_t n = degree_of(degree);
  if (n < 0) return T(0);
  const T y = x + x - 1;
  if (y == 1) return T(1);
  if (y == -1) return n % 2 == 0 ? T(2 * n + 1) : -T(2 * n + 1);
  if (n > 6 && abs_(y) < 1) {
    const T angle = std::acos(y);
    if (std::sin(angle / 2) != 1) return T(std::cos((n + T(0.5)) * angle) / std::cos(angle / 2));
    return n % 2 == 0 ? T(2 * n + 1) : -T(2 * n + 1);
  }
  return evaluate_recurrence(recurrence_terms, n, x);
};

MT_OP(OpDef{
    .schema = {"special_shifted_chebyshev_polynomial_v(Tensor x, Tensor n) -> Tensor",
               "special_shifted_chebyshev_polynomial_v.x_scalar(Scalar x, Tensor n) -> Tensor",
               "special_shifted_chebyshev_polynomial_v.n_scalar(Tensor x, Scalar n) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes the shifted Chebyshev polynomial of the third kind: V_n(2 x - 1).

With y = 2 x - 1: V_0 = 1, V_1 = 2 y - 1, V_(k+1) = 2 y V_k - V_(k-1); for x in (0, 1) degrees
above 6 are computed as cos((n + 1/2) t) / cos(t / 2) with y = cos(t). `x` and `n` broadcast. The
integer part of `n` is the degree; negative degrees give 0. The result is float32 or float64:
integers are converted to the default float dtype, half and complex dtypes are refused. There is
no derivative.

Args:
    x (Tensor or number): where to evaluate; one of the two is a tensor.
    n (Tensor or number): the degree.

Returns:
    Tensor: the broadcast shape; float32 or float64.

Example:
    >>> torch.special.shifted_chebyshev_polynomial_v(0.75, torch.tensor([0, 1, 2, 3]))
    tensor([ 1.,  0., -1., -1.]))",
    .module = "special",
    .rule = pointwise({Promotion::to_float, true}),
    .cpu = polynomial_kernel<recurrence_terms, evaluate_shifted_chebyshev_polynomial_v>("shifted_chebyshev_polynomial_v_cpu"),
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
