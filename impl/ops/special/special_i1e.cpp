// special_i1e: exp(-|x|) times the modified Bessel function I_1.
#include "rules/special/special.h"

namespace mt {
namespace {

constexpr auto i1e_of = [](auto x) __attribute__((always_inline)) { return cpu::vec::bessel_i1e(x); };

MT_OP(OpDef{
    .schema = {"special_i1e(Tensor self) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes exp(-|x|) I_1(x) for each element.

I_1 is the modified Bessel function of the first kind (DLMF 10.25.2). The product does not
overflow. Integer and bool input is converted to the default float dtype. The gradient is i0e(x)
- result * (sign(x) + 1 / x), 1/2 at 0.

Args:
    self (Tensor): any shape; floating, integer or bool, not complex.

Returns:
    Tensor: shape of `self`; its dtype, or the default float dtype for integer and bool input.

Example:
    >>> torch.special.i1e(torch.tensor([0.0, 1.0, 100.0]))
    tensor([0.0000, 0.2079, 0.0397]))",
    .module = "special",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise<i1e_of, 1, dtypes::floating>("i1e_cpu").with_grain(2048),
    .grad = {wrt("self",
                 [](Grad g, In<"self"> x, Out<"result"> y) {
                   // I_1(x) / x tends to 1/2 at 0, and so does the derivative of I_1; torch returns 1/2 for NaN, too.
                   Tensor tiny = is_tiny(x), safe = op<"masked_fill">(x, tiny, 1);
                   Tensor slope = op<"special_i0e">(safe) - y * (op<"sgn">(safe) + op<"reciprocal">(safe));
                   return g * op<"masked_fill">(slope, tiny, 0.5);
                 })},
    .grad_name = "SpecialI1EBackward0",
});

}  // namespace
}  // namespace mt
