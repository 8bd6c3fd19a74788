// special_bessel_j1: the Bessel function of the first kind, order 1; NaN at infinity.
#include <cmath>

#include "rules/special.h"

namespace mt {
namespace {

constexpr auto j1_of = [](auto x) { return decltype(x)(std::isinf(x) ? __builtin_nan("") : ::j1(double(x))); };

MT_OP(OpDef{
    .schema = {"special_bessel_j1(Tensor self) -> Tensor"},
    .forms = function | out,
    .doc = "The Bessel function of the first kind, order 1; NaN at infinity.",
    .module = "special",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise<j1_of, 1, float_and_double>("bessel_j1_cpu").with_grain(2048),
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
