// gt: whether elements of the first are greater than those of the second.
#include "rules/form/algebra.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"

namespace mt {
namespace {

constexpr auto gt_of = [](auto a, auto b) { return a > b; };

MT_OP(OpDef{
    .schema = {"gt.Tensor(Tensor self, Tensor other) -> Tensor", "gt.Scalar(Tensor self, Scalar other) -> Tensor"},
    .forms = function | method | inplace | out,
    .form_overloads = {{"out", "Tensor_out"}},
    .doc = R"(Tests for each pair of elements whether `self` > `other`.

False where either is NaN. The tensors broadcast, and are compared in their promoted dtype.
Complex tensors are refused.

Args:
    self (Tensor): any real dtype or bool.
    other (Tensor or number): what to compare with.

Returns:
    Tensor: bool, with the broadcast shape.

Example:
    >>> torch.gt(torch.tensor([1, 2, 3]), 2)
    tensor([False, False,  True]))",
    .aliases = "__gt__ greater",
    .rule = pointwise(promoting_with_scalars),
    .cpu = elementwise<gt_of, 2, dtypes::real_and_bool>("gt_cpu"),
    .npu = {"GtTensor", "GtScalar"},
    .grad = not_differentiable,
    .grad_name = "GtBackward1",
    .overloads = {overload("Scalar", {.grad_name = "GtBackward0"})},
});

}  // namespace
}  // namespace mt
