// isnan: whether each element is NaN.
#include "rules/form/algebra.h"
#include "rules/pointwise/narrow_dtypes.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"
#include "rules/sparse/sparse.h"

namespace mt {
namespace {

constexpr auto isnan_of = [](auto x) { return isnan_(x); };

MT_OP(OpDef{
    .schema = {"isnan(Tensor self) -> Tensor"},
    .forms = function | method,
    .doc = R"(Tests each element for NaN.

Complex numbers are NaN where a part is; integers and bool never.

Args:
    self (Tensor): any shape and dtype.

Returns:
    Tensor: bool, with the shape of `self`.

Example:
    >>> torch.isnan(torch.tensor([1.0, float("nan"), float("inf")]))
    tensor([False,  True, False]))",
    .rule = pointwise(promoting),
    .cpu = elementwise<isnan_of, 1, dtypes::all | dtypes::float8 | dtypes::complex_half>("isnan_cpu"),
    .npu = {"NeTensor(self, self)"},
    .sparse = on_values,
    .compressed = on_values,
    .grad = not_differentiable,
    .out_policy = OutPolicy{.takes_strides = true},
});

}  // namespace
}  // namespace mt
