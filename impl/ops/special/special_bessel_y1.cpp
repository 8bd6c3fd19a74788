// special_bessel_y1: the Bessel function of the second kind, order 1; -inf at 0, NaN below and at infinity.
#include "rules/special.h"

namespace mt {
namespace {

constexpr auto y1_of = [](auto x) __attribute__((always_inline)) { return cpu::vec::bessel_y1(x); };

MT_OP(OpDef{
    .schema = {"special_bessel_y1(Tensor self) -> Tensor"},
    .forms = function | out,
    .doc = "The Bessel function of the second kind, order 1; -inf at 0, NaN below and at infinity.",
    .module = "special",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise_of_calls<y1_of, 1>("bessel_y1_cpu"),
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
