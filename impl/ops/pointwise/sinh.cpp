// sinh: the hyperbolic sine.
#include "rules/form/algebra.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/vector_math.h"
#include "rules/sparse/sparse.h"

namespace mt {
namespace {

constexpr auto sinh_of = [](auto x) __attribute__((always_inline)) { return vector_sinh(x); };

MT_OP(OpDef{
    .schema = {"sinh(Tensor self) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = R"(Computes the hyperbolic sine of each element: (exp(x) - exp(-x)) / 2.

Infinite where the result leaves the dtype, in float32 for |x| above 89.4. Integer and bool input
is converted to the default float dtype. The gradient is cosh(x).

Args:
    self (Tensor): any shape; floating, complex, integer or bool.

Returns:
    Tensor: shape of `self`; its dtype, or the default float dtype for integer and bool input.

Example:
    >>> torch.sinh(torch.tensor([0.0, 1.0, -1.0]))
    tensor([ 0.0000,  1.1752, -1.1752]))",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise<sinh_of, 1, dtypes::floating_and_complex>("sinh_cpu").with_grain(4096),
    .npu = {"Sinh"},
    .sparse = on_values,
    .compressed = on_values,
    .autocast = on_npu(Autocast::fp32),
    .grad = {wrt("self", [](Grad g, In<"self"> x) { return g * conj(op<"cosh">(x)); })},
});

}  // namespace
}  // namespace mt
