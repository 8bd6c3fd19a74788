// special_modified_bessel_i1: the modified Bessel function of the first kind, order 1.
#include "rules/special/bessel.h"

namespace mt {
namespace {

constexpr auto i1_of = [](auto x) __attribute__((always_inline)) { return bessel_i1(x); };

MT_OP(OpDef{
    .schema = {"special_modified_bessel_i1(Tensor self) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes the modified Bessel function of the first kind I_1 of each element (DLMF 10.25.2).

As `torch.special.i1`, without a derivative. float32 and float64 only; integer and bool input is
converted to the default float dtype.

Args:
    self (Tensor): any shape; float32, float64, integer or bool.

Returns:
    Tensor: shape of the input; float32 or float64.

Example:
    >>> torch.special.modified_bessel_i1(torch.tensor([0.0, 1.0, -2.0]))
    tensor([ 0.0000,  0.5652, -1.5906]))",
    .module = "special",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise_by_vector_calls<i1_of, 1>("modified_bessel_i1_cpu"),
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
