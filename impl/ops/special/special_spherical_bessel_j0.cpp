// special_spherical_bessel_j0: the spherical Bessel function of the first kind, order 0.
#include <cmath>

#include "rules/special.h"

namespace mt {
namespace {

constexpr auto spherical = [](auto given) {
  const double x = double(given);
  if (std::isinf(x)) return decltype(given)(0);
  return decltype(given)(x == 0 ? 1 : std::sin(x) / x);
};

MT_OP(OpDef{
    .schema = {"special_spherical_bessel_j0(Tensor x) -> Tensor"},
    .forms = function | out,
    .doc = "The spherical Bessel function of the first kind, order 0.",
    .module = "special",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise<spherical, 1, float_and_double>("spherical_bessel_j0_cpu").with_grain(2048),
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
