// bitwise_and: the bitwise and.
#include "rules/form/algebra.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"

namespace mt {
namespace {

constexpr auto bitwise_and_of = [](auto a, auto b) { return static_cast<decltype(a)>(a & b); };

MT_OP(OpDef{
    .schema = {"bitwise_and.Tensor(Tensor self, Tensor other) -> Tensor", "bitwise_and.Scalar(Tensor self, Scalar other) -> Tensor"},
    .forms = function | method | inplace | out,
    .form_overloads = {{"out", "Tensor_out"}},
    .doc = R"(Computes `self` and `other`, bit by bit; for bool the logical and.

The tensors broadcast and their dtypes are promoted. Floating and complex tensors are refused. No
gradient.

Args:
    self (Tensor or number): integer or bool; one of the two is a tensor.
    other (Tensor or number): integer or bool.

Returns:
    Tensor: the broadcast shape, in the promoted dtype.

Example:
    >>> torch.bitwise_and(torch.tensor([12, 7]), torch.tensor([10, 1]))
    tensor([8, 1])
    >>> torch.bitwise_and(torch.tensor([True, False]), True)
    tensor([ True, False]))",
    .aliases = "__and__ __rand__",
    .inplace_aliases = "__iand__",
    .rule = pointwise(promoting_with_scalars),
    .cpu = elementwise<bitwise_and_of, 2, dtypes::integral_and_bool | dtypes::barebones_unsigned>("bitwise_and_cpu"),
    .npu = {"BitwiseAndTensor", "BitwiseAndScalar"},
});
MT_OP(OpDef{
    .schema = {"bitwise_and.Scalar_Tensor(Scalar self, Tensor other) -> Tensor"},
    .forms = function,
    .doc = R"(Computes `self` and `other`, bit by bit; for bool the logical and.

The tensors broadcast and their dtypes are promoted. Floating and complex tensors are refused. No
gradient.

Args:
    self (Tensor or number): integer or bool; one of the two is a tensor.
    other (Tensor or number): integer or bool.

Returns:
    Tensor: the broadcast shape, in the promoted dtype.

Example:
    >>> torch.bitwise_and(torch.tensor([12, 7]), torch.tensor([10, 1]))
    tensor([8, 1])
    >>> torch.bitwise_and(torch.tensor([True, False]), True)
    tensor([ True, False]))",
    .rule = pointwise(promoting_with_scalars),
    .cpu = elementwise<bitwise_and_of, 2, dtypes::integral_and_bool | dtypes::barebones_unsigned>("bitwise_and_cpu"),
});

}  // namespace
}  // namespace mt
