// expm1: exp(x) - 1, exact near zero.
#include "rules/form/algebra.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"
#include "rules/sparse/sparse.h"

namespace mt {
namespace {

constexpr auto expm1_of = [](auto x) { return expm1_(x); };

MT_OP(OpDef{
    .schema = {"expm1(Tensor self) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = R"(Computes exp(x) - 1 for each element, with all digits near zero.

Where |x| is small, exp(x) - 1 computed in two steps would lose the digits of x. Integer and bool
input is converted to the default float dtype. The gradient is exp(x).

Args:
    self (Tensor): any shape; floating, complex, integer or bool.

Returns:
    Tensor: shape of `self`; its dtype, or the default float dtype for integer and bool input.

Example:
    >>> torch.expm1(torch.tensor([1e-8, 1.0], dtype=torch.float64))
    tensor([1.0000e-08, 1.7183e+00], dtype=torch.float64))",
    .aliases = "special_expm1",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise<expm1_of, 1, dtypes::floating_and_complex>("expm1_cpu").with_grain(4096),
    .npu = {"Expm1"},
    .sparse = on_values,
    .compressed = on_values,
    .autocast = on_npu(Autocast::fp32),
    .grad = {wrt("self", [](Grad g, Out<"result"> y) { return g * (conj(y) + 1); })},
});

}  // namespace
}  // namespace mt
