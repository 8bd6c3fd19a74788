// erf: the error function.
#include "rules/form/algebra.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"
#include "rules/sparse/sparse.h"

namespace mt {
namespace {

// Calls the vector library directly, which is always inlined: flatten does not inline erf_, and the loop would stay scalar.
constexpr auto erf_of = [](auto x) __attribute__((always_inline)) { return cpu::vec::erf(x); };

MT_OP(OpDef{
    .schema = {"erf(Tensor self) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = R"(Computes the error function of each element.

erf(x) is 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to x (DLMF 7.2.1). Integer and bool
input is converted to the default float dtype. The gradient is 2 / sqrt(pi) * exp(-x^2).

Args:
    self (Tensor): any shape; floating, integer or bool, not complex.

Returns:
    Tensor: shape of `self`; its dtype, or the default float dtype for integer and bool input.

Example:
    >>> torch.erf(torch.tensor([0.0, 0.5, -1.0]))
    tensor([ 0.0000,  0.5205, -0.8427]))",
    .aliases = "special_erf",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise<erf_of, 1, dtypes::floating>("erf_vml_cpu").with_grain(4096),
    .npu = {"Erf"},
    .sparse = on_values,
    .compressed = on_values,
    .grad = {wrt("self", [](Grad g, In<"self"> x) { return g * (op<"exp">(-(x * x)) * 1.1283791670955126); })},
});

}  // namespace
}  // namespace mt
