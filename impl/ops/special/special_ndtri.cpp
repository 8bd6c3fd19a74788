// special_ndtri: the inverse of the normal distribution function.
#include "rules/special/special.h"

namespace mt {
namespace {

constexpr auto ndtri_of = [](auto given) __attribute__((always_inline)) {
  using T = decltype(given);
  const double p = double(given);
  return T(1.41421356237309504880 * cpu::vec::inverse_erf(2 * p - 1, 4 * p * (1 - p)));
};

MT_OP(OpDef{
    .schema = {"special_ndtri(Tensor self) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes the inverse of the standard normal distribution function: the y with ndtr(y) = x.

0 and 1 give -inf and inf, elements outside [0, 1] NaN. float32 and float64 only; integer and
bool input is converted to the default float dtype. The gradient is sqrt(2 pi) exp(y^2 / 2).

Args:
    self (Tensor): any shape; float32, float64, integer or bool.

Returns:
    Tensor: shape of the input; float32 or float64.

Example:
    >>> torch.special.ndtri(torch.tensor([0.5, 0.975, 0.0, 2.0]))
    tensor([0.0000, 1.9600,   -inf,    nan]))",
    .module = "special",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise<ndtri_of, 1, float_and_double>("ndtri_cpu").with_grain(2048),
    .grad = {wrt("self", [](Grad g, Out<"result"> y) { return g * op<"exp">(y * y * 0.5) * 2.50662827463100050242; })},
});

}  // namespace
}  // namespace mt
