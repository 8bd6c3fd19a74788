// eq: whether elements of the first are equal to those of the second.
#include "rules/form/algebra.h"
#include "rules/pointwise/narrow_dtypes.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"

namespace mt {
namespace {

constexpr auto eq_of = [](auto a, auto b) { return a == b; };

MT_OP(OpDef{
    .schema = {"eq.Tensor(Tensor self, Tensor other) -> Tensor", "eq.Scalar(Tensor self, Scalar other) -> Tensor"},
    .forms = function | method | inplace | out,
    .form_overloads = {{"out", "Tensor_out"}},
    .doc = R"(Tests for each pair of elements whether they are equal.

NaN equals nothing, itself included; 0.0 equals -0.0. The tensors broadcast, and are compared in
their promoted dtype. For one answer about whole tensors see `torch.equal`.

Args:
    self (Tensor): any dtype.
    other (Tensor or number): what to compare with.

Returns:
    Tensor: bool, with the broadcast shape.

Example:
    >>> torch.eq(torch.tensor([1, 2, 3]), torch.tensor([1, 0, 3]))
    tensor([ True, False,  True]))",
    .aliases = "__eq__",
    .rule = pointwise(promoting_with_scalars),
    .cpu = elementwise<eq_of, 2, dtypes::all | dtypes::barebones_unsigned | dtypes::float8 | dtypes::complex_half>("eq_cpu"),
    .npu = {"EqTensor", "EqScalar"},
    .grad = not_differentiable,
    .grad_name = "EqBackward1",
    .overloads = {overload("Scalar", {.grad_name = "EqBackward0"})},
});

}  // namespace
}  // namespace mt
