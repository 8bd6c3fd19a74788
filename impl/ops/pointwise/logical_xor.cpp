// logical_xor: whether exactly one is non-zero.
#include "rules/algebra.h"
#include "rules/pointwise.h"
#include "rules/scalar_math.h"

namespace mt {
namespace {

constexpr auto logical_xor_of = [](auto a, auto b) { using T = decltype(a); return (a != T(0)) != (b != T(0)); };

MT_OP(OpDef{
    .schema = {"logical_xor(Tensor self, Tensor other) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = "True where exactly one is non-zero.",
    .rule = pointwise(promoting),
    .cpu = elementwise<logical_xor_of, 2, dtypes::all>("logical_xor_cpu"),
    .npu = {"LogicalXor"},
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
