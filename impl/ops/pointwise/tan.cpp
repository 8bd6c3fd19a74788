// tan: the tangent.
#include "rules/form/algebra.h"
#include "rules/pointwise/large_angles.h"
#include "rules/pointwise/scalar_math.h"
#include "rules/sparse/sparse.h"

namespace mt {
namespace {

constexpr auto tan_of = [](auto x) __attribute__((always_inline)) { return tan_(x); };
constexpr auto tan_of_large = [](float x) { return float(std::tan(double(x))); };

MT_OP(OpDef{
    .schema = {"tan(Tensor self) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = R"(Computes the tangent of each element, in radians.

Infinities give NaN. Integer and bool input is converted to the default float dtype. The gradient
is result^2 + 1.

Args:
    self (Tensor): any shape; floating, complex, integer or bool.

Returns:
    Tensor: shape of `self`; its dtype, or the default float dtype for integer and bool input.

Example:
    >>> torch.tan(torch.tensor([0.0, torch.pi / 4]))
    tensor([0., 1.]))",
    .rule = pointwise(promoting_to_float),
    .cpu = with_large_angles<tan_of, tan_of_large>(elementwise<tan_of, 1, dtypes::floating_and_complex>("tan_cpu")).with_grain(4096),
    .npu = {"Tan"},
    .sparse = on_values,
    .compressed = on_values,
    .autocast = on_npu(Autocast::fp32),
    .grad = {wrt("self", [](Grad g, Out<"result"> y) { return g * conj(y * y + 1); })},
});

}  // namespace
}  // namespace mt
