// atanh: the inverse hyperbolic tangent.
#include "rules/form/algebra.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/vector_math.h"
#include "rules/sparse/sparse.h"

namespace mt {
namespace {

constexpr auto atanh_of = [](auto x) __attribute__((always_inline)) { return vector_atanh(x); };

MT_OP(OpDef{
    .schema = {"atanh(Tensor self) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = R"(Computes the inverse hyperbolic tangent of each element.

-1 and 1 give -inf and inf, real elements beyond them NaN. Complex results are principal values
(DLMF 4.37(ii)). Integer and bool input is converted to the default float dtype. The gradient is
1 / (1 - x^2).

Args:
    self (Tensor): any shape; floating, complex, integer or bool.

Returns:
    Tensor: shape of `self`; its dtype, or the default float dtype for integer and bool input.

Example:
    >>> torch.atanh(torch.tensor([0.0, 0.5, 1.0, 2.0]))
    tensor([0.0000, 0.5493,    inf,    nan]))",
    .aliases = "arctanh",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise<atanh_of, 1, dtypes::floating_and_complex>("atanh_cpu").with_grain(4096),
    .npu = {"Atanh"},
    .sparse = on_values,
    .compressed = on_values,
    .grad = {wrt("self", [](Grad g, In<"self"> x) { return g / conj(1 - x * x); })},
});

}  // namespace
}  // namespace mt
