// exp: the exponential function.
#include "rules/form/algebra.h"
#include "rules/pointwise/complex_loops.h"

namespace mt {
namespace {

constexpr auto power_alone = [](auto, auto power) { return power; };
constexpr auto exp_of = [](auto x) { return exp_(x); };

MT_OP(OpDef{
    .schema = {"exp(Tensor self) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = R"(Computes e raised to each element.

Infinite where the result leaves the dtype, in float32 above 88.7. Integer and bool input is
converted to the default float dtype. The gradient is the result itself.

Args:
    self (Tensor): any shape; floating, complex, integer or bool.

Returns:
    Tensor: shape of `self`; its dtype, or the default float dtype for integer and bool input.

Example:
    >>> torch.exp(torch.tensor([0.0, 1.0, -float("inf")]))
    tensor([1.0000, 2.7183, 0.0000]))",
    .rule = pointwise(promoting_to_float),
    .cpu = add_complex_exp_loops<power_alone, 1>(elementwise<exp_of, 1, dtypes::floating_and_complex>("exp_cpu")).with_grain(4096),
    .npu = {"Exp"},
    .autocast = on_npu(Autocast::fp32),
    .grad = {wrt("self", [](Grad g, Out<"result"> y) { return g * conj(y); })},
});

}  // namespace
}  // namespace mt
