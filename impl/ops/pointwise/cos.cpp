// cos: the cosine.
#include "rules/form/algebra.h"
#include "rules/pointwise/large_angles.h"
#include "rules/pointwise/scalar_math.h"

namespace mt {
namespace {

constexpr auto cos_of = [](auto x) __attribute__((always_inline)) { return cos_(x); };
constexpr auto cos_of_large = [](float x) { return float(std::cos(double(x))); };

MT_OP(OpDef{
    .schema = {"cos(Tensor self) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = R"(Computes the cosine of each element, in radians.

Infinities give NaN. Integer and bool input is converted to the default float dtype. The gradient
is -sin(x).

Args:
    self (Tensor): any shape; floating, complex, integer or bool.

Returns:
    Tensor: shape of `self`; its dtype, or the default float dtype for integer and bool input.

Example:
    >>> torch.cos(torch.tensor([0.0, torch.pi / 3, torch.pi]))
    tensor([ 1.0000,  0.5000, -1.0000]))",
    .rule = pointwise(promoting_to_float),
    .cpu = with_large_angles<cos_of, cos_of_large>(elementwise<cos_of, 1, dtypes::floating_and_complex>("cos_cpu")).with_grain(4096),
    .npu = {"Cos"},
    .grad = {wrt("self", [](Grad g, In<"self"> x) { return g * -conj(op<"sin">(x)); })},
});

}  // namespace
}  // namespace mt
