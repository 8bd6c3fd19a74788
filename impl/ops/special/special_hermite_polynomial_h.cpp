// special_hermite_polynomial_h: the physicists' Hermite polynomial, H_n(x).
#include "rules/special/polynomial.h"

namespace mt {
namespace {

constexpr ThreeTerms recurrence_terms{.first = {2}, .back = {2}};
constexpr auto evaluate_hermite_polynomial_h = [](auto x, auto degree) {
  using T = decltype(x);
  const int64_t n = degree_of(degree);
  if (n < 0) return T(0);
  if (n > hermite_limit<T>) return T(__builtin_nan(""));
  return evaluate_recurrence(recurrence_terms, n, x);
};

MT_OP(OpDef{
    .schema = {"special_hermite_polynomial_h(Tensor x, Tensor n) -> Tensor",
               "special_hermite_polynomial_h.x_scalar(Scalar x, Tensor n) -> Tensor",
               "special_hermite_polynomial_h.n_scalar(Tensor x, Scalar n) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes the physicists' Hermite polynomial H_n(x) (DLMF 18.3).

H_0 = 1, H_1 = 2 x, H_(k+1) = 2 x H_k - 2 k H_(k-1). Degrees whose values leave the dtype (above
128 in float32, 512 in float64) give NaN. `x` and `n` broadcast. The integer part of `n` is the
degree; negative degrees give 0. The result is float32 or float64: integers are converted to the
default float dtype, half and complex dtypes are refused. There is no derivative.

Args:
    x (Tensor or number): where to evaluate; one of the two is a tensor.
    n (Tensor or number): the degree.

Returns:
    Tensor: the broadcast shape; float32 or float64.

Example:
    >>> torch.special.hermite_polynomial_h(0.5, torch.tensor([0, 1, 2, 3]))
    tensor([ 1.,  1., -1., -5.]))",
    .module = "special",
    .rule = pointwise({Promotion::to_float, true}),
    .cpu = polynomial_kernel<recurrence_terms, evaluate_hermite_polynomial_h>("hermite_polynomial_h_cpu"),
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
