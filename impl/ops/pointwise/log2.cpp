// log2: the logarithm to base 2.
#include "rules/form/algebra.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"

namespace mt {
namespace {

constexpr auto log2_of = [](auto x) __attribute__((always_inline)) { return log2_(x); };

MT_OP(OpDef{
    .schema = {"log2(Tensor self) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = R"(Computes the logarithm to base 2 of each element.

0 gives -inf, negative real numbers NaN. Integer and bool input is converted to the default float
dtype. The gradient is 1 / (x * log(2)).

Args:
    self (Tensor): any shape; floating, complex, integer or bool.

Returns:
    Tensor: shape of `self`; its dtype, or the default float dtype for integer and bool input.

Example:
    >>> torch.log2(torch.tensor([1.0, 8.0, 0.5]))
    tensor([ 0.,  3., -1.]))",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise<log2_of, 1, dtypes::floating_and_complex>("log2_cpu").with_grain(4096),
    .npu = {"Log2"},
    .autocast = on_npu(Autocast::fp32),
    .grad = {wrt("self", [](Grad g, In<"self"> x) { return g / (conj(x) * 0.6931471805599453); })},
});

}  // namespace
}  // namespace mt
