// ge: whether elements of the first are greater than or equal to those of the second.
#include "rules/form/algebra.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"

namespace mt {
namespace {

constexpr auto ge_of = [](auto a, auto b) { return a >= b; };

MT_OP(OpDef{
    .schema = {"ge.Tensor(Tensor self, Tensor other) -> Tensor", "ge.Scalar(Tensor self, Scalar other) -> Tensor"},
    .forms = function | method | inplace | out,
    .form_overloads = {{"out", "Tensor_out"}},
    .doc = R"(Tests for each pair of elements whether `self` >= `other`.

False where either is NaN. The tensors broadcast, and are compared in their promoted dtype.
Complex tensors are refused.

Args:
    self (Tensor): any real dtype or bool.
    other (Tensor or number): what to compare with.

Returns:
    Tensor: bool, with the broadcast shape.

Example:
    >>> torch.ge(torch.tensor([1, 2, 3]), 2)
    tensor([False,  True,  True]))",
    .aliases = "__ge__ greater_equal",
    .rule = pointwise(promoting_with_scalars),
    .cpu = elementwise<ge_of, 2, dtypes::real_and_bool>("ge_cpu"),
    .npu = {"GeTensor", "GeScalar"},
    .grad = not_differentiable,
    .grad_name = "GeBackward1",
    .overloads = {overload("Scalar", {.grad_name = "GeBackward0"})},
});

}  // namespace
}  // namespace mt
