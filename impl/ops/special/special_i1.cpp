// special_i1: the modified Bessel function I_1.
#include "rules/special/bessel.h"

namespace mt {
namespace {

constexpr auto i1_of = [](auto x) __attribute__((always_inline)) { return bessel_i1(x); };

MT_OP(OpDef{
    .schema = {"special_i1(Tensor self) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes the modified Bessel function of the first kind I_1 of each element (DLMF 10.25.2).

It is odd. Infinite where the result leaves the dtype; infinities give NaN. `torch.special.i1e`
is the scaled form. Integer and bool input is converted to the default float dtype. The gradient
is I_0(x) - I_1(x) / x, 1/2 at 0.

Args:
    self (Tensor): any shape; floating, integer or bool, not complex.

Returns:
    Tensor: shape of `self`; its dtype, or the default float dtype for integer and bool input.

Example:
    >>> torch.special.i1(torch.tensor([0.0, 1.0, -2.0]))
    tensor([ 0.0000,  0.5652, -1.5906]))",
    .module = "special",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise_by_vector_calls<i1_of, 1, dtypes::floating>("i1_cpu"),
    .grad = {wrt("self",
                 [](Grad g, In<"self"> x, Out<"result"> y) {
                   // I_1(x) / x tends to 1/2 at 0, and so does the derivative of I_1; torch returns 1/2 for NaN, too.
                   Tensor tiny = is_tiny(x), quotient = y / op<"masked_fill">(x, tiny, 1);
                   return g * op<"masked_fill">(op<"i0">(op<"masked_fill">(x, tiny, 1)) - quotient, tiny, 0.5);
                 })},
});

}  // namespace
}  // namespace mt
