// bitwise_xor: bit by bit xor.
#include "rules/algebra.h"
#include "rules/pointwise.h"
#include "rules/scalar_math.h"

namespace mt {
namespace {

constexpr auto bitwise_xor_of = [](auto a, auto b) { return static_cast<decltype(a)>(a ^ b); };

MT_OP(OpDef{
    .schema = {"bitwise_xor.Tensor(Tensor self, Tensor other) -> Tensor",
               "bitwise_xor.Scalar(Tensor self, Scalar other) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = "`self` xor `other`, bit by bit; logical for bool.",
    .aliases = "__xor__ __rxor__",
    .inplace_aliases = "__ixor__",
    .rule = pointwise(promoting_with_scalars),
    .cpu = elementwise<bitwise_xor_of, 2, dtypes::integral_and_bool | dtypes::barebones_unsigned>("bitwise_xor_cpu"),
    .npu = {"BitwiseXorTensor", "BitwiseXorScalar"},
});
MT_OP(OpDef{
    .schema = {"bitwise_xor.Scalar_Tensor(Scalar self, Tensor other) -> Tensor"},
    .forms = function,
    .doc = "`self` xor `other`, bit by bit; logical for bool.",
    .rule = pointwise(promoting_with_scalars),
    .cpu = elementwise<bitwise_xor_of, 2, dtypes::integral_and_bool | dtypes::barebones_unsigned>("bitwise_xor_cpu"),
});

}  // namespace
}  // namespace mt
