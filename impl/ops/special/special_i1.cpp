// special_i1: the modified Bessel function I_1.
#include "rules/bessel.h"

namespace mt {
namespace {

constexpr auto i1_of = [](auto x) __attribute__((always_inline)) { return bessel_i1(x); };

MT_OP(OpDef{
    .schema = {"special_i1(Tensor self) -> Tensor"},
    .forms = function | out,
    .doc = "The modified Bessel function I_1.",
    .module = "special",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise_of_calls<i1_of, 1, dtypes::floating>("i1_cpu"),
    .grad = {wrt("self", [](Grad g, In<"self"> x, Out<"result"> y) {
      // I_1(x) / x tends to 1/2 at 0.
      Tensor zero = op<"eq">(x, 0), quotient = y / op<"masked_fill">(x, zero, 1);
      return g * (op<"i0">(x) - op<"masked_fill">(quotient, zero, 0.5));
    })},
});

}  // namespace
}  // namespace mt
