// special_modified_bessel_i1: the modified Bessel function of the first kind, order 1.
#include "rules/bessel.h"

namespace mt {
namespace {

constexpr auto i1_of = [](auto x) __attribute__((always_inline)) { return bessel_i1(x); };

MT_OP(OpDef{
    .schema = {"special_modified_bessel_i1(Tensor self) -> Tensor"},
    .forms = function | out,
    .doc = "The modified Bessel function of the first kind, order 1.",
    .module = "special",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise_of_calls<i1_of, 1>("modified_bessel_i1_cpu"),
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
