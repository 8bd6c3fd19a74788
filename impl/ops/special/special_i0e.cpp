// special_i0e: exp(-|x|) times the modified Bessel function I_0.
#include "rules/special.h"

namespace mt {
namespace {

constexpr auto i0e_of = [](auto x) __attribute__((always_inline)) { return cpu::vec::bessel_i0e(x); };

MT_OP(OpDef{
    .schema = {"special_i0e(Tensor self) -> Tensor"},
    .forms = function | out,
    .doc = "exp(-|x|) times the modified Bessel function I_0.",
    .module = "special",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise_of_calls<i0e_of, 1, dtypes::floating>("i0e_cpu"),
    .grad = {wrt("self", [](Grad g, In<"self"> x, Out<"result"> y) { return g * (op<"special_i1e">(x) - op<"sgn">(x) * y); })},
    .grad_name = "SpecialI0EBackward0",
});

}  // namespace
}  // namespace mt
