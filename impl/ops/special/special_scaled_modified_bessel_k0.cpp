// special_scaled_modified_bessel_k0: exp(x) times the modified Bessel function of the second kind, order 0.
#include "rules/special/special.h"

namespace mt {
namespace {

constexpr auto k0e_of = [](auto x) __attribute__((always_inline)) { return cpu::vec::bessel_k0e(x); };

MT_OP(OpDef{
    .schema = {"special_scaled_modified_bessel_k0(Tensor x) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes exp(x) K_0(x) for each element, the scaled modified Bessel function.

K is the modified Bessel function of the second kind (DLMF 10.25.3). 0 gives inf, negative
elements NaN. It does not underflow. float32 and float64 only; integer and bool input is
converted to the default float dtype. There is no derivative.

Args:
    x (Tensor): any shape; float32, float64, integer or bool.

Returns:
    Tensor: shape of the input; float32 or float64.

Example:
    >>> torch.special.scaled_modified_bessel_k0(torch.tensor([0.0, 1.0, 100.0]))
    tensor([   inf, 1.1445, 0.1252]))",
    .module = "special",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise_by_vector_calls<k0e_of, 1>("scaled_modified_bessel_k0_cpu"),
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
