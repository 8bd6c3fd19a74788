// acosh: the inverse hyperbolic cosine.
#include "rules/form/algebra.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/vector_math.h"

namespace mt {
namespace {

constexpr auto acosh_of = [](auto x) __attribute__((always_inline)) { return vector_acosh(x); };

MT_OP(OpDef{
    .schema = {"acosh(Tensor self) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = R"(Computes the inverse hyperbolic cosine of each element.

Results are not negative; real elements below 1 give NaN. Complex results are principal values
(DLMF 4.37(ii)). Integer and bool input is converted to the default float dtype. The gradient is
1 / sqrt(x^2 - 1), infinite at 1.

Args:
    self (Tensor): any shape; floating, complex, integer or bool.

Returns:
    Tensor: shape of `self`; its dtype, or the default float dtype for integer and bool input.

Example:
    >>> torch.acosh(torch.tensor([1.0, 2.0, 0.5]))
    tensor([0.0000, 1.3170,    nan]))",
    .aliases = "arccosh",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise<acosh_of, 1, dtypes::floating_and_complex>("acosh_cpu").with_grain(4096),
    .npu = {"Acosh"},
    .grad = {wrt("self", [](Grad g, In<"self"> x) { return g * conj(op<"rsqrt">(x * x - 1)); })},
});

}  // namespace
}  // namespace mt
