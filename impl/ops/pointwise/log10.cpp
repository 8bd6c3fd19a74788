// log10: the logarithm to base 10.
#include "rules/form/algebra.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"

namespace mt {
namespace {

constexpr auto log10_of = [](auto x) __attribute__((always_inline)) { return log10_(x); };

MT_OP(OpDef{
    .schema = {"log10(Tensor self) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = R"(Computes the logarithm to base 10 of each element.

0 gives -inf, negative real numbers NaN. Integer and bool input is converted to the default float
dtype. The gradient is 1 / (x * log(10)).

Args:
    self (Tensor): any shape; floating, complex, integer or bool.

Returns:
    Tensor: shape of `self`; its dtype, or the default float dtype for integer and bool input.

Example:
    >>> torch.log10(torch.tensor([1.0, 1000.0, 0.0]))
    tensor([0., 3., -inf]))",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise<log10_of, 1, dtypes::floating_and_complex>("log10_cpu").with_grain(4096),
    .npu = {"Log10"},
    .autocast = on_npu(Autocast::fp32),
    .grad = {wrt("self", [](Grad g, In<"self"> x) { return g / (conj(x) * 2.3025850929940456); })},
});

}  // namespace
}  // namespace mt
