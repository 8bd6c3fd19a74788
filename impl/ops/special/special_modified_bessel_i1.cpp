// special_modified_bessel_i1: the modified Bessel function of the first kind, order 1.
#include "rules/bessel.h"

namespace mt {
namespace {

constexpr auto i1_of = [](auto x) __attribute__((always_inline)) { return decltype(x)(bessel_i1(double(x))); };

MT_OP(OpDef{
    .schema = {"special_modified_bessel_i1(Tensor self) -> Tensor"},
    .forms = function | out,
    .doc = "The modified Bessel function of the first kind, order 1.",
    .module = "special",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise<i1_of, 1, float_and_double>("modified_bessel_i1_cpu").with_grain(2048),
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
