// i0: the modified Bessel function I_0.
#include "rules/bessel.h"

namespace mt {
namespace {

constexpr auto i0_of = [](auto x) __attribute__((always_inline)) { return bessel_i0(x); };

MT_OP(OpDef{
    .schema = {"i0(Tensor self) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = "The modified Bessel function I_0.",
    .aliases = "special_i0",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise_of_calls<i0_of, 1, dtypes::floating>("i0_vml_cpu"),
    .grad = {wrt("self", [](Grad g, In<"self"> x) { return g * op<"special_i1">(x); })},
});

}  // namespace
}  // namespace mt
