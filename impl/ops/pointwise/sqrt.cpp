// sqrt: the square root.
#include "rules/form/algebra.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"
#include "rules/sparse/sparse.h"

namespace mt {
namespace {

constexpr auto sqrt_of = [](auto x) { return sqrt_(x); };

MT_OP(OpDef{
    .schema = {"sqrt(Tensor self) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = R"(Computes the square root of each element.

Negative real numbers give NaN, -0.0 itself. Complex roots have a real part that is not negative.
Integer and bool input is converted to the default float dtype. The gradient is 1 / (2 sqrt(x)),
infinite at 0.

Args:
    self (Tensor): any shape; floating, complex, integer or bool.

Returns:
    Tensor: shape of `self`; its dtype, or the default float dtype for integer and bool input.

Example:
    >>> torch.sqrt(torch.tensor([4.0, 2.0, -1.0]))
    tensor([2.0000, 1.4142,    nan]))",
    .rule = pointwise(promoting_to_float),
    .cpu = with_halves<sqrt_of, 1>(elementwise<sqrt_of, 1, dtypes::floating_and_complex>("sqrt_cpu")),
    .npu = {"Sqrt"},
    .sparse = on_values,
    .compressed = on_values,
    .grad = {wrt("self", [](Grad g, Out<"result"> y) { return g / (conj(y) * 2); })},
});

}  // namespace
}  // namespace mt
