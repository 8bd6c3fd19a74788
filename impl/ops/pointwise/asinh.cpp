// asinh: the inverse hyperbolic sine.
#include "rules/form/algebra.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/vector_math.h"
#include "rules/sparse/sparse.h"

namespace mt {
namespace {

constexpr auto asinh_of = [](auto x) __attribute__((always_inline)) { return vector_asinh(x); };

MT_OP(OpDef{
    .schema = {"asinh(Tensor self) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = R"(Computes the inverse hyperbolic sine of each element.

Complex results are principal values (DLMF 4.37(ii)). Integer and bool input is converted to the
default float dtype. The gradient is 1 / sqrt(x^2 + 1).

Args:
    self (Tensor): any shape; floating, complex, integer or bool.

Returns:
    Tensor: shape of `self`; its dtype, or the default float dtype for integer and bool input.

Example:
    >>> torch.asinh(torch.tensor([0.0, 1.0, -1.0]))
    tensor([ 0.0000,  0.8814, -0.8814]))",
    .aliases = "arcsinh",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise<asinh_of, 1, dtypes::floating_and_complex>("asinh_cpu").with_grain(4096),
    .npu = {"Asinh"},
    .sparse = on_values,
    .compressed = on_values,
    .grad = {wrt("self", [](Grad g, In<"self"> x) { return g * conj(op<"rsqrt">(x * x + 1)); })},
});

}  // namespace
}  // namespace mt
