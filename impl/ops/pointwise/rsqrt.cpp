// rsqrt: the reciprocal of the square root.
#include "rules/form/algebra.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"

namespace mt {
namespace {

constexpr auto rsqrt_of = [](auto x) { return decltype(x)(1) / sqrt_(x); };

MT_OP(OpDef{
    .schema = {"rsqrt(Tensor self) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = R"(Computes 1 / sqrt(x) for each element.

0 gives inf, negative real numbers NaN. Integer and bool input is converted to the default float
dtype. The gradient is -result^3 / 2.

Args:
    self (Tensor): any shape; floating, complex, integer or bool.

Returns:
    Tensor: shape of `self`; its dtype, or the default float dtype for integer and bool input.

Example:
    >>> torch.rsqrt(torch.tensor([4.0, 0.25, 0.0]))
    tensor([0.5000, 2.0000,    inf]))",
    .rule = pointwise(promoting_to_float),
    .cpu = with_halves<rsqrt_of, 1>(elementwise<rsqrt_of, 1, dtypes::floating_and_complex>("rsqrt_cpu")),
    .npu = {"Rsqrt"},
    .autocast = on_npu(Autocast::fp32),
    .grad = {wrt("self", [](Grad g, Out<"result"> y) { return conj(op<"pow">(y, 3)) * (g * -0.5); })},
});

}  // namespace
}  // namespace mt
