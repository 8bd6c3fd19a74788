// log: the natural logarithm.
#include "rules/form/algebra.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"

namespace mt {
namespace {

constexpr auto log_of = [](auto x) __attribute__((always_inline)) { return log_(x); };

MT_OP(OpDef{
    .schema = {"log(Tensor self) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = R"(Computes the natural logarithm of each element.

0 gives -inf, negative real numbers NaN. Complex results have an imaginary part in [-pi, pi].
Integer and bool input is converted to the default float dtype. The gradient is 1 / x.

Args:
    self (Tensor): any shape; floating, complex, integer or bool.

Returns:
    Tensor: shape of `self`; its dtype, or the default float dtype for integer and bool input.

Example:
    >>> torch.log(torch.tensor([1.0, torch.e, 0.0, -1.0]))
    tensor([0., 1., -inf, nan])
    >>> torch.log(torch.tensor([-1 + 0j]))
    tensor([0.+3.1416j]))",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise<log_of, 1, dtypes::floating_and_complex>("log_cpu").with_grain(4096),
    .npu = {"Log"},
    .autocast = on_npu(Autocast::fp32),
    .grad = {wrt("self", [](Grad g, In<"self"> x) { return g / conj(x); })},
});

}  // namespace
}  // namespace mt
