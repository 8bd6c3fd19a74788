// special_i0e: exp(-|x|) times the modified Bessel function I_0.
#include "rules/special/special.h"

namespace mt {
namespace {

constexpr auto i0e_of = [](auto x) __attribute__((always_inline)) { return cpu::vec::bessel_i0e(x); };

MT_OP(OpDef{
    .schema = {"special_i0e(Tensor self) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes exp(-|x|) I_0(x) for each element.

I_0 is the modified Bessel function of the first kind (DLMF 10.25.2). The product does not
overflow, and falls like 1 / sqrt(2 pi |x|). Integer and bool input is converted to the default
float dtype. The gradient is i1e(x) - sign(x) result.

Args:
    self (Tensor): any shape; floating, integer or bool, not complex.

Returns:
    Tensor: shape of `self`; its dtype, or the default float dtype for integer and bool input.

Example:
    >>> torch.special.i0e(torch.tensor([0.0, 1.0, 100.0]))
    tensor([1.0000, 0.4658, 0.0399]))",
    .module = "special",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise_by_vector_calls<i0e_of, 1, dtypes::floating>("i0e_cpu"),
    .grad = {wrt("self", [](Grad g, In<"self"> x, Out<"result"> y) { return g * (op<"special_i1e">(x) - op<"sgn">(x) * y); })},
    .grad_name = "SpecialI0EBackward0",
});

}  // namespace
}  // namespace mt
