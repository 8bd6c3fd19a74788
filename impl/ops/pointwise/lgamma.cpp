// lgamma: the logarithm of the absolute gamma function.
#include "cpu/math/vecmath_special.h"
#include "rules/form/algebra.h"
#include "rules/pointwise/pointwise.h"

namespace mt {
namespace {

// Forced inlining: GCC's flatten attribute does not inline a body of this size, and a loop with a call stays scalar.
constexpr auto lgamma_of = [](auto x) __attribute__((always_inline)) { return cpu::vec::lgamma(x); };

MT_OP(OpDef{
    .schema = {"lgamma(Tensor self) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = R"(Computes log(|gamma(x)|) for each element.

Zero and negative integers, the poles of gamma, give inf. Integer and bool input is converted to
the default float dtype. The gradient is digamma(x).

Args:
    self (Tensor): any shape; floating, integer or bool, not complex.

Returns:
    Tensor: shape of `self`; its dtype, or the default float dtype for integer and bool input.

Example:
    >>> torch.lgamma(torch.tensor([1.0, 5.0, 0.5, -1.0]))
    tensor([0.0000, 3.1781, 0.5724,    inf]))",
    .aliases = "special_gammaln",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise<lgamma_of, 1, dtypes::floating>("lgamma_vml_cpu").with_grain(4096),
    .npu = {"Lgamma"},
    .grad = {wrt("self", [](Grad g, In<"self"> x) { return g * op<"digamma">(x); })},
});

}  // namespace
}  // namespace mt
