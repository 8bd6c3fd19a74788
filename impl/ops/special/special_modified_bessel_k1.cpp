// special_modified_bessel_k1: the modified Bessel function of the second kind, order 1.
#include "rules/bessel.h"

namespace mt {
namespace {

constexpr auto k1_of = [](auto x) __attribute__((always_inline)) { return bessel_k1(x); };

MT_OP(OpDef{
    .schema = {"special_modified_bessel_k1(Tensor self) -> Tensor"},
    .forms = function | out,
    .doc = "The modified Bessel function of the second kind, order 1.",
    .module = "special",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise_of_calls<k1_of, 1>("modified_bessel_k1_cpu"),
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
