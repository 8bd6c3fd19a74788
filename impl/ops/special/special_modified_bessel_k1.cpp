// special_modified_bessel_k1: the modified Bessel function of the second kind, order 1.
#include "rules/special/bessel.h"

namespace mt {
namespace {

constexpr auto k1_of = [](auto x) __attribute__((always_inline)) { return bessel_k1(x); };

MT_OP(OpDef{
    .schema = {"special_modified_bessel_k1(Tensor self) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes the modified Bessel function of the second kind K_1 of each element (DLMF 10.25.3).

0 gives inf, negative elements NaN; it falls like exp(-x). float32 and float64 only; integer and
bool input is converted to the default float dtype. There is no derivative.

Args:
    self (Tensor): any shape; float32, float64, integer or bool.

Returns:
    Tensor: shape of the input; float32 or float64.

Example:
    >>> torch.special.modified_bessel_k1(torch.tensor([0.0, 1.0, 2.0, -1.0]))
    tensor([   inf, 0.6019, 0.1399,    nan]))",
    .module = "special",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise_by_vector_calls<k1_of, 1>("modified_bessel_k1_cpu"),
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
