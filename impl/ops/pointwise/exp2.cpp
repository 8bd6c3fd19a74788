// exp2: two raised to each element.
#include "rules/algebra.h"
#include "rules/pointwise.h"
#include "rules/scalar_math.h"

namespace mt {
namespace {

constexpr auto exp2_of = [](auto x) { return exp2_(x); };

MT_OP(OpDef{
    .schema = {"exp2(Tensor self) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = "2 raised to each element.",
    .aliases = "special_exp2",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise<exp2_of, 1, dtypes::floating_and_complex>("exp2_cpu").with_grain(4096),
    .npu = {"Exp2"},
    .grad = {wrt("self", [](Grad g, Out<"result"> y) { return g * conj(y) * 0.6931471805599453; })},
});

}  // namespace
}  // namespace mt
