// logical_or: whether either is non-zero.
#include "rules/algebra.h"
#include "rules/pointwise.h"
#include "rules/scalar_math.h"

namespace mt {
namespace {

constexpr auto logical_or_of = [](auto a, auto b) { using T = decltype(a); return bool((a != T(0)) | (b != T(0))); };

MT_OP(OpDef{
    .schema = {"logical_or(Tensor self, Tensor other) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = "True where either is non-zero.",
    .rule = pointwise(promoting),
    .cpu = elementwise<logical_or_of, 2, dtypes::all>("logical_or_cpu"),
    .npu = {"LogicalOr"},
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
