// special_entr: -x log(x); 0 at 0 and -inf below.
#include "rules/scalar_math.h"
#include "rules/special.h"

namespace mt {
namespace {

constexpr auto entropy = [](auto x) __attribute__((always_inline)) {
  using T = decltype(x);
  return select_(x > 0, T(-x * log_(x)), x != x ? x : x == 0 ? T(0) : T(-__builtin_inf()));
};

MT_OP(OpDef{
    .schema = {"special_entr(Tensor self) -> Tensor"},
    .forms = function | out,
    .doc = "-x log(x); 0 at 0 and -inf below.",
    .module = "special",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise<entropy, 1, dtypes::floating>("entr_cpu").with_grain(2048),
    .grad = {wrt("self", [](Grad g, In<"self"> x) {
      return g * op<"masked_fill">(-op<"log">(x) - 1, op<"lt">(x, 0), __builtin_inf());
    })},
});

}  // namespace
}  // namespace mt
