// special_hermite_polynomial_he: the probabilists' Hermite polynomial, He_n(x).
#include "rules/special/polynomial.h"

namespace mt {
namespace {

constexpr ThreeTerms recurrence_terms{.slope = {-0.0, 1}, .back = {1}};
constexpr auto evaluate_hermite_polynomial_he = [](auto x, auto degree) {
  using T = decltype(x);
  const int64_t n = degree_of(degree);
  if (n < 0) return T(0);
  if (n > hermite_limit<T>) return T(__builtin_nan(""));
  return evaluate_recurrence(recurrence_terms, n, x);
};

MT_OP(OpDef{
    .schema = {"special_hermite_polynomial_he(Tensor x, Tensor n) -> Tensor",
               "special_hermite_polynomial_he.x_scalar(Scalar x, Tensor n) -> Tensor",
               "special_hermite_polynomial_he.n_scalar(Tensor x, Scalar n) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes the probabilists' Hermite polynomial He_n(x) (DLMF 18.3).

He_0 = 1, He_1 = x, He_(k+1) = x He_k - k He_(k-1). Degrees whose values leave the dtype (above
128 in float32, 512 in float64) give NaN. `x` and `n` broadcast. The integer part of `n` is the
degree; negative degrees give 0. The result is float32 or float64: integers are converted to the
default float dtype, half and complex dtypes are refused. There is no derivative.

Args:
    x (Tensor or number): where to evaluate; one of the two is a tensor.
    n (Tensor or number): the degree.

Returns:
    Tensor: the broadcast shape; float32 or float64.

Example:
    >>> torch.special.hermite_polynomial_he(0.5, torch.tensor([0, 1, 2, 3]))
    tensor([ 1.0000,  0.5000, -0.7500, -1.3750]))",
    .module = "special",
    .rule = pointwise({Promotion::to_float, true}),
    .cpu = polynomial_kernel<recurrence_terms, evaluate_hermite_polynomial_he>("hermite_polynomial_he_cpu"),
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
