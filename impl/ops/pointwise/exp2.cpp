// exp2: two raised to each element.
#include "rules/form/algebra.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"

namespace mt {
namespace {

constexpr auto exp2_of = [](auto x) { return exp2_(x); };

MT_OP(OpDef{
    .schema = {"exp2(Tensor self) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = R"(Computes 2 raised to each element.

Integer and bool input is converted to the default float dtype. The gradient is log(2) times the
result.

Args:
    self (Tensor): any shape; floating, complex, integer or bool.

Returns:
    Tensor: shape of `self`; its dtype, or the default float dtype for integer and bool input.

Example:
    >>> torch.exp2(torch.tensor([0.0, 3.0, -1.0]))
    tensor([1.0000, 8.0000, 0.5000]))",
    .aliases = "special_exp2",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise<exp2_of, 1, dtypes::floating_and_complex>("exp2_cpu").with_grain(4096),
    .npu = {"Exp2"},
    .grad = {wrt("self", [](Grad g, Out<"result"> y) { return g * conj(y) * 0.6931471805599453; })},
});

}  // namespace
}  // namespace mt
