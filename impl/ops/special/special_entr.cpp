// special_entr: -x log(x); 0 at 0 and -inf below.
#include "rules/pointwise/scalar_math.h"
#include "rules/special/special.h"

namespace mt {
namespace {

constexpr auto entr_of = [](auto x) __attribute__((always_inline)) {
  using T = decltype(x);
  return select_(x > 0, T(-x * log_(x)), x != x ? x : x == 0 ? T(0) : T(-__builtin_inf()));
};

MT_OP(OpDef{
    .schema = {"special_entr(Tensor self) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes the entropy term of each element: -x log(x), 0 at 0 and -inf below.

NaN stays NaN. Integer and bool input is converted to the default float dtype. The gradient is
-log(x) - 1: inf at 0, NaN below.

Args:
    self (Tensor): any shape; floating, integer or bool, not complex.

Returns:
    Tensor: shape of `self`; its dtype, or the default float dtype for integer and bool input.

Example:
    >>> torch.special.entr(torch.tensor([0.0, 0.5, 1.0, -1.0]))
    tensor([0.0000, 0.3466, -0.0000,   -inf]))",
    .module = "special",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise<entr_of, 1, dtypes::floating>("entr_cpu").with_grain(2048),
    .grad = {wrt("self", [](Grad g, In<"self"> x) { return g * (-op<"log">(x) - 1); })},
});

}  // namespace
}  // namespace mt
