// special_i1e: exp(-|x|) times the modified Bessel function I_1.
#include "rules/special.h"

namespace mt {
namespace {

constexpr auto i1e_of = [](auto x) __attribute__((always_inline)) { return cpu::vec::bessel_i1e(x); };

MT_OP(OpDef{
    .schema = {"special_i1e(Tensor self) -> Tensor"},
    .forms = function | out,
    .doc = "exp(-|x|) times the modified Bessel function I_1.",
    .module = "special",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise<i1e_of, 1, dtypes::floating>("i1e_cpu").with_grain(2048),
    .grad = {wrt("self", [](Grad g, In<"self"> x, Out<"result"> y) {
      // I_1(x) / x tends to 1/2 at 0.
      Tensor zero = op<"eq">(x, 0), safe = op<"masked_fill">(x, zero, 1);
      Tensor quotient = op<"masked_fill">(y * (op<"sgn">(x) + op<"reciprocal">(safe)), zero, 0.5);
      return g * (op<"special_i0e">(x) - quotient);
    })},
    .grad_name = "SpecialI1EBackward0",
});

}  // namespace
}  // namespace mt
