// lt: whether elements of the first are less than those of the second.
#include "rules/algebra.h"
#include "rules/pointwise.h"
#include "rules/scalar_math.h"

namespace mt {
namespace {

constexpr auto lt_of = [](auto a, auto b) { return a < b; };

MT_OP(OpDef{
    .schema = {"lt.Tensor(Tensor self, Tensor other) -> Tensor",
               "lt.Scalar(Tensor self, Scalar other) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = "True where `self` is less than `other`.",
    .aliases = "__lt__ less",
    .rule = pointwise(promoting_with_scalars),
    .cpu = elementwise<lt_of, 2, dtypes::real_and_bool>("lt_cpu"),
    .npu = {"LtTensor", "LtScalar"},
    .grad = not_differentiable,
    .grad_name = "LtBackward1",
    .overloads = {overload("Scalar", {.grad_name = "LtBackward0"})},
});

}  // namespace
}  // namespace mt
