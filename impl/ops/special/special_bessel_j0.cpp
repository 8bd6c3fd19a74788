// special_bessel_j0: the Bessel function of the first kind, order 0; NaN at infinity.
#include "rules/special/special.h"

namespace mt {
namespace {

constexpr auto j0_of = [](auto x) __attribute__((always_inline)) { return cpu::vec::bessel_j0(x); };

MT_OP(OpDef{
    .schema = {"special_bessel_j0(Tensor self) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes the Bessel function of the first kind J_0 of each element (DLMF 10.2.2).

It is even; infinities give NaN. float32 and float64 only; integer and bool input is converted to
the default float dtype. There is no derivative.

Args:
    self (Tensor): any shape; float32, float64, integer or bool.

Returns:
    Tensor: shape of the input; float32 or float64.

Example:
    >>> torch.special.bessel_j0(torch.tensor([0.0, 1.0, 5.0]))
    tensor([ 1.0000,  0.7652, -0.1776]))",
    .module = "special",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise_by_vector_calls<j0_of, 1>("bessel_j0_cpu"),
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
