// special_spherical_bessel_j0: the spherical Bessel function of the first kind, order 0.
#include "rules/pointwise/scalar_math.h"
#include "rules/special/special.h"

namespace mt {
namespace {

// Floats are computed in double, so that only the final rounding is inexact.
constexpr auto spherical_bessel_j0_of = [](auto given) __attribute__((always_inline)) {
  const double x = double(given), y = cpu::vec::sin(x) / x;
  return decltype(given)(select_(x == 0, 1.0, select_(abs_(x) == __builtin_inf(), 0.0, y)));
};

MT_OP(OpDef{
    .schema = {"special_spherical_bessel_j0(Tensor x) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes the spherical Bessel function of the first kind j_0 of each element.

That is sin(x) / x (DLMF 10.49.3); 0 gives 1, infinities give 0. float32 and float64 only;
integer and bool input is converted to the default float dtype. There is no derivative.

Args:
    x (Tensor): any shape; float32, float64, integer or bool.

Returns:
    Tensor: shape of the input; float32 or float64.

Example:
    >>> torch.special.spherical_bessel_j0(torch.tensor([0.0, 1.0, 5.0]))
    tensor([ 1.0000,  0.8415, -0.1918]))",
    .module = "special",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise_by_vector_calls<spherical_bessel_j0_of, 1>("spherical_bessel_j0_cpu"),
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
