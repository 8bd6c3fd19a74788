// ne: whether elements of the first differ from those of the second.
#include "rules/form/algebra.h"
#include "rules/pointwise/narrow_dtypes.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"

namespace mt {
namespace {

constexpr auto ne_of = [](auto a, auto b) { return a != b; };

MT_OP(OpDef{
    .schema = {"ne.Tensor(Tensor self, Tensor other) -> Tensor", "ne.Scalar(Tensor self, Scalar other) -> Tensor"},
    .forms = function | method | inplace | out,
    .form_overloads = {{"out", "Tensor_out"}},
    .doc = R"(Tests for each pair of elements whether they differ.

NaN differs from everything, itself included. The tensors broadcast, and are compared in their
promoted dtype.

Args:
    self (Tensor): any dtype.
    other (Tensor or number): what to compare with.

Returns:
    Tensor: bool, with the broadcast shape.

Example:
    >>> torch.ne(torch.tensor([1, 2, 3]), torch.tensor([1, 0, 3]))
    tensor([False,  True, False]))",
    .aliases = "__ne__ not_equal",
    .rule = pointwise(promoting_with_scalars),
    .cpu = elementwise<ne_of, 2, dtypes::all | dtypes::barebones_unsigned | dtypes::float8 | dtypes::complex_half>("ne_cpu"),
    .npu = {"NeTensor", "NeScalar"},
    .grad = not_differentiable,
    .grad_name = "NeBackward1",
    .overloads = {overload("Scalar", {.grad_name = "NeBackward0"})},
});

}  // namespace
}  // namespace mt
