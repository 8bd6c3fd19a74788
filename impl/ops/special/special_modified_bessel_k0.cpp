// special_modified_bessel_k0: the modified Bessel function of the second kind, order 0.
#include "rules/bessel.h"

namespace mt {
namespace {

constexpr auto k0_of = [](auto x) __attribute__((always_inline)) { return bessel_k0(x); };

MT_OP(OpDef{
    .schema = {"special_modified_bessel_k0(Tensor self) -> Tensor"},
    .forms = function | out,
    .doc = "The modified Bessel function of the second kind, order 0.",
    .module = "special",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise_of_calls<k0_of, 1>("modified_bessel_k0_cpu"),
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
