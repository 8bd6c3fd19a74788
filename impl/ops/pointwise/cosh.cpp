// cosh: the hyperbolic cosine.
#include "rules/form/algebra.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/vector_math.h"

namespace mt {
namespace {

constexpr auto cosh_of = [](auto x) __attribute__((always_inline)) { return vector_cosh(x); };

MT_OP(OpDef{
    .schema = {"cosh(Tensor self) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = R"(Computes the hyperbolic cosine of each element: (exp(x) + exp(-x)) / 2.

Infinite where the result leaves the dtype, in float32 for |x| above 89.4. Integer and bool input
is converted to the default float dtype. The gradient is sinh(x).

Args:
    self (Tensor): any shape; floating, complex, integer or bool.

Returns:
    Tensor: shape of `self`; its dtype, or the default float dtype for integer and bool input.

Example:
    >>> torch.cosh(torch.tensor([0.0, 1.0, -1.0]))
    tensor([1.0000, 1.5431, 1.5431]))",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise<cosh_of, 1, dtypes::floating_and_complex>("cosh_cpu").with_grain(4096),
    .npu = {"Cosh"},
    .autocast = on_npu(Autocast::fp32),
    .grad = {wrt("self", [](Grad g, In<"self"> x) { return g * conj(op<"sinh">(x)); })},
});

}  // namespace
}  // namespace mt
