// special_bessel_y1: the Bessel function of the second kind, order 1; -inf at 0, NaN below and at infinity.
#include "rules/special/special.h"

namespace mt {
namespace {

constexpr auto y1_of = [](auto x) __attribute__((always_inline)) { return cpu::vec::bessel_y1(x); };

MT_OP(OpDef{
    .schema = {"special_bessel_y1(Tensor self) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes the Bessel function of the second kind Y_1 of each element (DLMF 10.2.3).

0 gives -inf, negative elements and infinities NaN. float32 and float64 only; integer and bool
input is converted to the default float dtype. There is no derivative.

Args:
    self (Tensor): any shape; float32, float64, integer or bool.

Returns:
    Tensor: shape of the input; float32 or float64.

Example:
    >>> torch.special.bessel_y1(torch.tensor([0.0, 1.0, 5.0, -1.0]))
    tensor([   -inf, -0.7812,  0.1479,     nan]))",
    .module = "special",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise_by_vector_calls<y1_of, 1>("bessel_y1_cpu"),
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
