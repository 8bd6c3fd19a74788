// rad2deg: radians to degrees.
#include "rules/form/algebra.h"
#include "rules/form/checked.h"
#include "rules/pointwise/pointwise_layout.h"
#include "rules/pointwise/scalar_math.h"
#include "rules/sparse/sparse.h"

namespace mt {
namespace {

constexpr auto to_degrees = [](auto x) { return x * decltype(x)(57.295779513082320877); };

MT_OP(OpDef{
    .schema = {"rad2deg(Tensor self) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = R"(Converts radians to degrees: x * 180 / pi.

Integer and bool input is converted to the default float dtype. Complex tensors are refused.

Args:
    self (Tensor): any shape; floating, integer or bool, not complex.

Returns:
    Tensor: shape of `self`; its dtype, or the default float dtype for integer and bool input.

Example:
    >>> torch.rad2deg(torch.tensor([torch.pi, -torch.pi / 2]))
    tensor([180., -90.]))",
    .rule = rule_after_check(refuse_complex<"rad2deg is not supported for complex tensors.">,
                             pointwise_with_layout(ResultLayout::of_first, promoting_to_float)),
    .cpu = elementwise<to_degrees, 1, dtypes::floating>("rad2deg"),
    .sparse = on_values,
    .compressed = on_values,
    .grad = {wrt("self", [](Grad g) { return g * 57.295779513082320877; })},
});

}  // namespace
}  // namespace mt
