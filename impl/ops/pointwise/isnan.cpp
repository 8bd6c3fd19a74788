// isnan: whether each element is not a number.
#include "rules/algebra.h"
#include "rules/pointwise.h"
#include "rules/scalar_math.h"
#include "rules/sparse.h"

namespace mt {
namespace {

constexpr auto isnan_of = [](auto x) { return isnan_(x); };

MT_OP(OpDef{
    .schema = {"isnan(Tensor self) -> Tensor"},
    .forms = function | method,
    .doc = "True where the element is NaN.",
    .rule = pointwise(promoting),
    .cpu = elementwise<isnan_of, 1, dtypes::all>("isnan_cpu"),
    .npu = {"NeTensor(self, self)"},
    .sparse = on_values,
    .compressed = on_values,
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
