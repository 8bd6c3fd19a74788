// bitwise_xor: the bitwise exclusive or.
#include "rules/form/algebra.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"

namespace mt {
namespace {

constexpr auto bitwise_xor_of = [](auto a, auto b) { return static_cast<decltype(a)>(a ^ b); };

MT_OP(OpDef{
    .schema = {"bitwise_xor.Tensor(Tensor self, Tensor other) -> Tensor", "bitwise_xor.Scalar(Tensor self, Scalar other) -> Tensor"},
    .forms = function | method | inplace | out,
    .form_overloads = {{"out", "Tensor_out"}},
    .doc = R"(Computes `self` exclusive or `other`, bit by bit; for bool the logical one.

The tensors broadcast and their dtypes are promoted. Floating and complex tensors are refused. No
gradient.

Args:
    self (Tensor or number): integer or bool; one of the two is a tensor.
    other (Tensor or number): integer or bool.

Returns:
    Tensor: the broadcast shape, in the promoted dtype.

Example:
    >>> torch.bitwise_xor(torch.tensor([12, 7]), torch.tensor([10, 7]))
    tensor([6, 0]))",
    .aliases = "__xor__ __rxor__",
    .inplace_aliases = "__ixor__",
    .rule = pointwise(promoting_with_scalars),
    .cpu = elementwise<bitwise_xor_of, 2, dtypes::integral_and_bool | dtypes::barebones_unsigned>("bitwise_xor_cpu"),
    .npu = {"BitwiseXorTensor", "BitwiseXorScalar"},
});
MT_OP(OpDef{
    .schema = {"bitwise_xor.Scalar_Tensor(Scalar self, Tensor other) -> Tensor"},
    .forms = function,
    .doc = R"(Computes `self` exclusive or `other`, bit by bit; for bool the logical one.

The tensors broadcast and their dtypes are promoted. Floating and complex tensors are refused. No
gradient.

Args:
    self (Tensor or number): integer or bool; one of the two is a tensor.
    other (Tensor or number): integer or bool.

Returns:
    Tensor: the broadcast shape, in the promoted dtype.

Example:
    >>> torch.bitwise_xor(torch.tensor([12, 7]), torch.tensor([10, 7]))
    tensor([6, 0]))",
    .rule = pointwise(promoting_with_scalars),
    .cpu = elementwise<bitwise_xor_of, 2, dtypes::integral_and_bool | dtypes::barebones_unsigned>("bitwise_xor_cpu"),
});

}  // namespace
}  // namespace mt
