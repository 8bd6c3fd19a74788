// special_scaled_modified_bessel_k0: exp(x) times the modified Bessel function of the second kind, order 0.
#include "rules/special.h"

namespace mt {
namespace {

constexpr auto k0e_of = [](auto x) __attribute__((always_inline)) { return cpu::vec::bessel_k0e(x); };

MT_OP(OpDef{
    .schema = {"special_scaled_modified_bessel_k0(Tensor x) -> Tensor"},
    .forms = function | out,
    .doc = "exp(x) times the modified Bessel function of the second kind, order 0.",
    .module = "special",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise_of_calls<k0e_of, 1>("scaled_modified_bessel_k0_cpu"),
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
