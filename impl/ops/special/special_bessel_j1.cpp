// special_bessel_j1: the Bessel function of the first kind, order 1; NaN at infinity.
#include "rules/special.h"

namespace mt {
namespace {

constexpr auto j1_of = [](auto x) __attribute__((always_inline)) { return cpu::vec::bessel_j1(x); };

MT_OP(OpDef{
    .schema = {"special_bessel_j1(Tensor self) -> Tensor"},
    .forms = function | out,
    .doc = "The Bessel function of the first kind, order 1; NaN at infinity.",
    .module = "special",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise_of_calls<j1_of, 1>("bessel_j1_cpu"),
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
