// special_bessel_j0: the Bessel function of the first kind, order 0; NaN at infinity.
#include "rules/special.h"

namespace mt {
namespace {

constexpr auto j0_of = [](auto x) __attribute__((always_inline)) { return cpu::vec::bessel_j0(x); };

MT_OP(OpDef{
    .schema = {"special_bessel_j0(Tensor self) -> Tensor"},
    .forms = function | out,
    .doc = "The Bessel function of the first kind, order 0; NaN at infinity.",
    .module = "special",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise_of_calls<j0_of, 1>("bessel_j0_cpu"),
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
