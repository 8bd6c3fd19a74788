// i0: the modified Bessel function I_0.
#include "rules/special/bessel.h"

namespace mt {
namespace {

constexpr auto i0_of = [](auto x) __attribute__((always_inline)) { return bessel_i0(x); };

MT_OP(OpDef{
    .schema = {"i0(Tensor self) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = R"(Computes the modified Bessel function of the first kind I_0 of each element (DLMF 10.25.2).

It is even and at least 1. Infinite where the result leaves the dtype; infinities give NaN.
`torch.special.i0e` is the scaled form. Integer and bool input is converted to the default float
dtype. The gradient is I_1(x).

Args:
    self (Tensor): any shape; floating, integer or bool, not complex.

Returns:
    Tensor: shape of `self`; its dtype, or the default float dtype for integer and bool input.

Example:
    >>> torch.i0(torch.tensor([0.0, 1.0, -2.0]))
    tensor([1.0000, 1.2661, 2.2796]))",
    .aliases = "special_i0",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise_by_vector_calls<i0_of, 1, dtypes::floating>("i0_vml_cpu"),
    .grad = {wrt("self", [](Grad g, In<"self"> x) { return g * op<"special_i1">(x); })},
});

}  // namespace
}  // namespace mt
