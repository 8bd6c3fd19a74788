// sinc: sin(pi x) / (pi x), 1 at zero.
#include "rules/form/algebra.h"
#include "rules/pointwise/large_angles.h"
#include "rules/pointwise/scalar_math.h"

namespace mt {
namespace {

constexpr auto sinc_of = [](auto x) __attribute__((always_inline)) {
  using T = decltype(x);
  const T p = x * T(3.14159265358979323846);
  if constexpr (is_complex_type<T>)
    return x == T(0) ? T(1) : sin_(p) / p;
  else
    return select_(x == T(0), T(1), sin_(p) / p);
};

constexpr auto sinc_of_large = [](float x) {
  const float p = x * 3.14159265358979323846f;
  return float(std::sin(double(p))) / p;
};

MT_OP(OpDef{
    .schema = {"sinc(Tensor self) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = R"(Computes the normalised sinc of each element: sin(pi x) / (pi x), and 1 at 0.

Integer and bool input is converted to the default float dtype. The gradient is 0 at 0.

Args:
    self (Tensor): any shape; floating, complex, integer or bool.

Returns:
    Tensor: shape of `self`; its dtype, or the default float dtype for integer and bool input.

Example:
    >>> torch.sinc(torch.tensor([0.0, 0.5, 1.5]))
    tensor([ 1.0000,  0.6366, -0.2122]))",
    .aliases = "special_sinc",
    .rule = pointwise(promoting_to_float),
    .cpu = with_large_angles<sinc_of, sinc_of_large>(elementwise<sinc_of, 1, dtypes::floating_and_complex>("sinc_cpu")),
    .npu = {"Sinc"},
    .grad = {wrt("self",
                 [](Grad g, In<"self"> x) {
                   const double pi = 3.14159265358979323846;
                   Tensor p = x * pi;
                   return g * op<"masked_fill">(conj((op<"cos">(p) * p - op<"sin">(p)) / (p * x)), op<"eq">(x, 0), 0);
                 })},
});

}  // namespace
}  // namespace mt
