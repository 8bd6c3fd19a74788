// atan: the inverse tangent.
#include "rules/form/algebra.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/vector_math.h"
#include "rules/sparse/sparse.h"

namespace mt {
namespace {

constexpr auto atan_of = [](auto x) __attribute__((always_inline)) { return vector_atan(x); };

MT_OP(OpDef{
    .schema = {"atan(Tensor self) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = R"(Computes the inverse tangent of each element, in radians.

Results are in [-pi/2, pi/2]. Complex results are principal values (DLMF 4.23(ii)). Integer and
bool input is converted to the default float dtype. The gradient is 1 / (x^2 + 1). For the angle
of a point in all four quadrants see `torch.atan2`.

Args:
    self (Tensor): any shape; floating, complex, integer or bool.

Returns:
    Tensor: shape of `self`; its dtype, or the default float dtype for integer and bool input.

Example:
    >>> torch.atan(torch.tensor([0.0, 1.0, -float("inf")]))
    tensor([ 0.0000,  0.7854, -1.5708]))",
    .aliases = "arctan",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise<atan_of, 1, dtypes::floating_and_complex>("atan_cpu").with_grain(4096),
    .npu = {"Atan"},
    .sparse = on_values,
    .compressed = on_values,
    .grad = {wrt("self", [](Grad g, In<"self"> x) { return g / conj(x * x + 1); })},
});

}  // namespace
}  // namespace mt
