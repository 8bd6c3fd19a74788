// sin: the sine.
#include "rules/form/algebra.h"
#include "rules/pointwise/large_angles.h"
#include "rules/pointwise/scalar_math.h"
#include "rules/sparse/sparse.h"

namespace mt {
namespace {

constexpr auto sin_of = [](auto x) __attribute__((always_inline)) { return sin_(x); };
constexpr auto sin_of_large = [](float x) { return float(std::sin(double(x))); };

MT_OP(OpDef{
    .schema = {"sin(Tensor self) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = R"(Computes the sine of each element, in radians.

Infinities give NaN. Integer and bool input is converted to the default float dtype. The gradient
is cos(x).

Args:
    self (Tensor): any shape; floating, complex, integer or bool.

Returns:
    Tensor: shape of `self`; its dtype, or the default float dtype for integer and bool input.

Example:
    >>> torch.sin(torch.tensor([0.0, torch.pi / 6, torch.pi / 2]))
    tensor([0.0000, 0.5000, 1.0000]))",
    .rule = pointwise(promoting_to_float),
    .cpu = with_large_angles<sin_of, sin_of_large>(elementwise<sin_of, 1, dtypes::floating_and_complex>("sin_cpu")).with_grain(4096),
    .npu = {"Sin"},
    .sparse = on_values,
    .compressed = on_values,
    .grad = {wrt("self", [](Grad g, In<"self"> x) { return g * conj(op<"cos">(x)); })},
});

}  // namespace
}  // namespace mt
