// bitwise_or: the bitwise or.
#include "rules/form/algebra.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"

namespace mt {
namespace {

constexpr auto bitwise_or_of = [](auto a, auto b) { return static_cast<decltype(a)>(a | b); };

MT_OP(OpDef{
    .schema = {"bitwise_or.Tensor(Tensor self, Tensor other) -> Tensor", "bitwise_or.Scalar(Tensor self, Scalar other) -> Tensor"},
    .forms = function | method | inplace | out,
    .form_overloads = {{"out", "Tensor_out"}},
    .doc = R"(Computes `self` or `other`, bit by bit; for bool the logical or.

The tensors broadcast and their dtypes are promoted. Floating and complex tensors are refused. No
gradient.

Args:
    self (Tensor or number): integer or bool; one of the two is a tensor.
    other (Tensor or number): integer or bool.

Returns:
    Tensor: the broadcast shape, in the promoted dtype.

Example:
    >>> torch.bitwise_or(torch.tensor([12, 7]), torch.tensor([3, 8]))
    tensor([15, 15]))",
    .aliases = "__or__ __ror__",
    .inplace_aliases = "__ior__",
    .rule = pointwise(promoting_with_scalars),
    .cpu = elementwise<bitwise_or_of, 2, dtypes::integral_and_bool | dtypes::barebones_unsigned>("bitwise_or_cpu"),
    .npu = {"BitwiseOrTensor", "BitwiseOrScalar"},
});
MT_OP(OpDef{
    .schema = {"bitwise_or.Scalar_Tensor(Scalar self, Tensor other) -> Tensor"},
    .forms = function,
    .doc = R"(Computes `self` or `other`, bit by bit; for bool the logical or.

The tensors broadcast and their dtypes are promoted. Floating and complex tensors are refused. No
gradient.

Args:
    self (Tensor or number): integer or bool; one of the two is a tensor.
    other (Tensor or number): integer or bool.

Returns:
    Tensor: the broadcast shape, in the promoted dtype.

Example:
    >>> torch.bitwise_or(torch.tensor([12, 7]), torch.tensor([3, 8]))
    tensor([15, 15]))",
    .rule = pointwise(promoting_with_scalars),
    .cpu = elementwise<bitwise_or_of, 2, dtypes::integral_and_bool | dtypes::barebones_unsigned>("bitwise_or_cpu"),
});

}  // namespace
}  // namespace mt
