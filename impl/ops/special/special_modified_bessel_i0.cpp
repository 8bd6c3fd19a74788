// special_modified_bessel_i0: the modified Bessel function of the first kind, order 0.
#include "rules/special/bessel.h"

namespace mt {
namespace {

constexpr auto i0_of = [](auto x) __attribute__((always_inline)) { return bessel_i0(x); };

MT_OP(OpDef{
    .schema = {"special_modified_bessel_i0(Tensor self) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes the modified Bessel function of the first kind I_0 of each element (DLMF 10.25.2).

As `torch.special.i0`, without a derivative. float32 and float64 only; integer and bool input is
converted to the default float dtype.

Args:
    self (Tensor): any shape; float32, float64, integer or bool.

Returns:
    Tensor: shape of the input; float32 or float64.

Example:
    >>> torch.special.modified_bessel_i0(torch.tensor([0.0, 1.0, -2.0]))
    tensor([1.0000, 1.2661, 2.2796]))",
    .module = "special",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise_by_vector_calls<i0_of, 1>("modified_bessel_i0_cpu"),
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
