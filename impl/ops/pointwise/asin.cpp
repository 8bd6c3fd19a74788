// asin: the inverse sine.
#include "rules/form/algebra.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/vector_math.h"
#include "rules/sparse/sparse.h"

namespace mt {
namespace {

constexpr auto asin_of = [](auto x) __attribute__((always_inline)) { return vector_asin(x); };

MT_OP(OpDef{
    .schema = {"asin(Tensor self) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = R"(Computes the inverse sine of each element, in radians.

Results are in [-pi/2, pi/2]; real elements outside [-1, 1] give NaN. Complex results are
principal values (DLMF 4.23(ii)). Integer and bool input is converted to the default float dtype.
The gradient is 1 / sqrt(1 - x^2), infinite at -1 and 1.

Args:
    self (Tensor): any shape; floating, complex, integer or bool.

Returns:
    Tensor: shape of `self`; its dtype, or the default float dtype for integer and bool input.

Example:
    >>> torch.asin(torch.tensor([0.0, 1.0, -1.0, 2.0]))
    tensor([ 0.0000,  1.5708, -1.5708,     nan]))",
    .aliases = "arcsin",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise<asin_of, 1, dtypes::floating_and_complex>("asin_cpu").with_grain(4096),
    .npu = {"Asin"},
    .sparse = on_values,
    .compressed = on_values,
    .autocast = on_npu(Autocast::fp32),
    .grad = {wrt("self", [](Grad g, In<"self"> x) { return g * conj(op<"rsqrt">(1 - x * x)); })},
});

}  // namespace
}  // namespace mt
