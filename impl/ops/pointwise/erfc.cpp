// erfc: the complementary error function.
#include "cpu/math/vecmath_more.h"
#include "rules/form/algebra.h"
#include "rules/pointwise/pointwise.h"

namespace mt {
namespace {

// Forced inlining: GCC's flatten attribute does not inline a body of this size, and a loop with a call stays scalar.
constexpr auto erfc_of = [](auto x) __attribute__((always_inline)) { return cpu::vec::erfc_all(x); };

MT_OP(OpDef{
    .schema = {"erfc(Tensor self) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = R"(Computes the complementary error function of each element: 1 - erf(x) (DLMF 7.2.2).

Small results keep their digits, where 1 - erf(x) would be rounded to 0. Integer and bool input
is converted to the default float dtype. The gradient is -2 / sqrt(pi) * exp(-x^2).

Args:
    self (Tensor): any shape; floating, integer or bool, not complex.

Returns:
    Tensor: shape of `self`; its dtype, or the default float dtype for integer and bool input.

Example:
    >>> torch.erfc(torch.tensor([0.0, 5.0, -1.0]))
    tensor([1.0000e+00, 1.5375e-12, 1.8427e+00]))",
    .aliases = "special_erfc",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise<erfc_of, 1, dtypes::floating>("erfc_vml_cpu").with_grain(4096),
    .npu = {"Erfc"},
    .grad = {wrt("self", [](Grad g, In<"self"> x) { return g * (op<"exp">(-(x * x)) * -1.1283791670955126); })},
});

}  // namespace
}  // namespace mt
