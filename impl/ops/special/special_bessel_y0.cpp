// special_bessel_y0: the Bessel function of the second kind, order 0; -inf at 0, NaN below and at infinity.
#include "rules/special.h"

namespace mt {
namespace {

constexpr auto y0_of = [](auto x) __attribute__((always_inline)) { return cpu::vec::bessel_y0(x); };

MT_OP(OpDef{
    .schema = {"special_bessel_y0(Tensor self) -> Tensor"},
    .forms = function | out,
    .doc = "The Bessel function of the second kind, order 0; -inf at 0, NaN below and at infinity.",
    .module = "special",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise_of_calls<y0_of, 1>("bessel_y0_cpu"),
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
