// le: whether elements of the first are less than or equal to those of the second.
#include "rules/form/algebra.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"

namespace mt {
namespace {

constexpr auto le_of = [](auto a, auto b) { return a <= b; };

MT_OP(OpDef{
    .schema = {"le.Tensor(Tensor self, Tensor other) -> Tensor", "le.Scalar(Tensor self, Scalar other) -> Tensor"},
    .forms = function | method | inplace | out,
    .form_overloads = {{"out", "Tensor_out"}},
    .doc = R"(Tests for each pair of elements whether `self` <= `other`.

False where either is NaN. The tensors broadcast, and are compared in their promoted dtype.
Complex tensors are refused.

Args:
    self (Tensor): any real dtype or bool.
    other (Tensor or number): what to compare with.

Returns:
    Tensor: bool, with the broadcast shape.

Example:
    >>> torch.le(torch.tensor([1, 2, 3]), 2)
    tensor([ True,  True, False]))",
    .aliases = "__le__ less_equal",
    .rule = pointwise(promoting_with_scalars),
    .cpu = elementwise<le_of, 2, dtypes::real_and_bool>("le_cpu"),
    .npu = {"LeTensor", "LeScalar"},
    .grad = not_differentiable,
    .grad_name = "LeBackward1",
    .overloads = {overload("Scalar", {.grad_name = "LeBackward0"})},
});

}  // namespace
}  // namespace mt
