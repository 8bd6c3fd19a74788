// logical_not: whether each element is zero.
#include "rules/algebra.h"
#include "rules/pointwise.h"
#include "rules/scalar_math.h"

namespace mt {
namespace {

constexpr auto logical_not_of = [](auto x) { return x == decltype(x)(0); };

MT_OP(OpDef{
    .schema = {"logical_not(Tensor self) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = "True where the element is zero.",
    .rule = pointwise(promoting),
    .cpu = elementwise<logical_not_of, 1, dtypes::all>("logical_not_cpu"),
    .npu = {"LogicalNot"},
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
