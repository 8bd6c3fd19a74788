// special_bessel_y0: the Bessel function of the second kind, order 0; -inf at 0, NaN below and at infinity.
#include <cmath>

#include "rules/special.h"

namespace mt {
namespace {

constexpr auto y0_of = [](auto x) {
  return decltype(x)(x == 0 ? -__builtin_inf() : x < 0 || std::isinf(x) ? __builtin_nan("") : ::y0(double(x)));
};

MT_OP(OpDef{
    .schema = {"special_bessel_y0(Tensor self) -> Tensor"},
    .forms = function | out,
    .doc = "The Bessel function of the second kind, order 0; -inf at 0, NaN below and at infinity.",
    .module = "special",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise<y0_of, 1, float_and_double>("bessel_y0_cpu").with_grain(2048),
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
