// ne: whether elements of the first are different those of the second.
#include "rules/algebra.h"
#include "rules/pointwise.h"
#include "rules/scalar_math.h"

namespace mt {
namespace {

constexpr auto ne_of = [](auto a, auto b) { return a != b; };

MT_OP(OpDef{
    .schema = {"ne.Tensor(Tensor self, Tensor other) -> Tensor",
               "ne.Scalar(Tensor self, Scalar other) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = "True where `self` is different `other`.",
    .aliases = "__ne__ not_equal",
    .rule = pointwise(promoting_with_scalars),
    .cpu = elementwise<ne_of, 2, dtypes::all | dtypes::barebones_unsigned>("ne_cpu"),
    .npu = {"NeTensor", "NeScalar"},
    .grad = not_differentiable,
    .grad_name = "NeBackward1",
    .overloads = {overload("Scalar", {.grad_name = "NeBackward0"})},
});

}  // namespace
}  // namespace mt
