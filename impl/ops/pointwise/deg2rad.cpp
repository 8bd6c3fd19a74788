// deg2rad: degrees to radians.
#include "rules/form/algebra.h"
#include "rules/form/checked.h"
#include "rules/pointwise/pointwise_layout.h"
#include "rules/pointwise/scalar_math.h"
#include "rules/sparse/sparse.h"

namespace mt {
namespace {

constexpr auto to_radians = [](auto x) { return x * decltype(x)(0.017453292519943295769); };

MT_OP(OpDef{
    .schema = {"deg2rad(Tensor self) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = R"(Converts degrees to radians: x * pi / 180.

Integer and bool input is converted to the default float dtype. Complex tensors are refused.

Args:
    self (Tensor): any shape; floating, integer or bool, not complex.

Returns:
    Tensor: shape of `self`; its dtype, or the default float dtype for integer and bool input.

Example:
    >>> torch.deg2rad(torch.tensor([180.0, -90.0, 360.0]))
    tensor([ 3.1416, -1.5708,  6.2832]))",
    .rule = rule_after_check(refuse_complex<"deg2rad is not supported for complex tensors.">,
                             pointwise_with_layout(ResultLayout::of_first, promoting_to_float)),
    .cpu = elementwise<to_radians, 1, dtypes::floating>("deg2rad"),
    .sparse = on_values,
    .compressed = on_values,
    .grad = {wrt("self", [](Grad g) { return g * 0.017453292519943295769; })},
});

}  // namespace
}  // namespace mt
