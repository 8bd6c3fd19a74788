// bitwise_or: bit by bit or.
#include "rules/algebra.h"
#include "rules/pointwise.h"
#include "rules/scalar_math.h"

namespace mt {
namespace {

constexpr auto bitwise_or_of = [](auto a, auto b) { return static_cast<decltype(a)>(a | b); };

MT_OP(OpDef{
    .schema = {"bitwise_or.Tensor(Tensor self, Tensor other) -> Tensor",
               "bitwise_or.Scalar(Tensor self, Scalar other) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = "`self` or `other`, bit by bit; logical for bool.",
    .aliases = "__or__ __ror__",
    .inplace_aliases = "__ior__",
    .rule = pointwise(promoting_with_scalars),
    .cpu = elementwise<bitwise_or_of, 2, dtypes::integral_and_bool | dtypes::barebones_unsigned>("bitwise_or_cpu"),
    .npu = {"BitwiseOrTensor", "BitwiseOrScalar"},
});
MT_OP(OpDef{
    .schema = {"bitwise_or.Scalar_Tensor(Scalar self, Tensor other) -> Tensor"},
    .forms = function,
    .doc = "`self` or `other`, bit by bit; logical for bool.",
    .rule = pointwise(promoting_with_scalars),
    .cpu = elementwise<bitwise_or_of, 2, dtypes::integral_and_bool | dtypes::barebones_unsigned>("bitwise_or_cpu"),
});

}  // namespace
}  // namespace mt
