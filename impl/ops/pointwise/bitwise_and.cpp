// bitwise_and: bit by bit and.
#include "rules/algebra.h"
#include "rules/pointwise.h"
#include "rules/scalar_math.h"

namespace mt {
namespace {

constexpr auto bitwise_and_of = [](auto a, auto b) { return static_cast<decltype(a)>(a & b); };

MT_OP(OpDef{
    .schema = {"bitwise_and.Tensor(Tensor self, Tensor other) -> Tensor",
               "bitwise_and.Scalar(Tensor self, Scalar other) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = "`self` and `other`, bit by bit; logical for bool.",
    .aliases = "__and__ __rand__",
    .inplace_aliases = "__iand__",
    .rule = pointwise(promoting_with_scalars),
    .cpu = elementwise<bitwise_and_of, 2, dtypes::integral_and_bool | dtypes::barebones_unsigned>("bitwise_and_cpu"),
    .npu = {"BitwiseAndTensor", "BitwiseAndScalar"},
});
MT_OP(OpDef{
    .schema = {"bitwise_and.Scalar_Tensor(Scalar self, Tensor other) -> Tensor"},
    .forms = function,
    .doc = "`self` and `other`, bit by bit; logical for bool.",
    .rule = pointwise(promoting_with_scalars),
    .cpu = elementwise<bitwise_and_of, 2, dtypes::integral_and_bool | dtypes::barebones_unsigned>("bitwise_and_cpu"),
});

}  // namespace
}  // namespace mt
