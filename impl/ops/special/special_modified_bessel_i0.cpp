// special_modified_bessel_i0: the modified Bessel function of the first kind, order 0.
#include "rules/bessel.h"

namespace mt {
namespace {

constexpr auto i0_of = [](auto x) __attribute__((always_inline)) { return decltype(x)(bessel_i0(double(x))); };

MT_OP(OpDef{
    .schema = {"special_modified_bessel_i0(Tensor self) -> Tensor"},
    .forms = function | out,
    .doc = "The modified Bessel function of the first kind, order 0.",
    .module = "special",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise<i0_of, 1, float_and_double>("modified_bessel_i0_cpu").with_grain(2048),
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
