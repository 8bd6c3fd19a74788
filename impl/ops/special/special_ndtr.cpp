// special_ndtr: the normal distribution function.
#include "rules/form/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"special_ndtr(Tensor self) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes the standard normal distribution function of each element: (1 + erf(x / sqrt(2))) / 2.

Far below zero digits are lost to the sum with 1; `torch.special.log_ndtr` keeps them. Integer
and bool input is converted to the default float dtype. The gradient is exp(-x^2 / 2) / sqrt(2
pi).

Args:
    self (Tensor): any shape; floating, integer or bool, not complex.

Returns:
    Tensor: shape of `self`; its dtype, or the default float dtype for integer and bool input.

Example:
    >>> torch.special.ndtr(torch.tensor([0.0, 1.96, -1.0]))
    tensor([0.5000, 0.9750, 0.1587]))",
    .module = "special",
    .composite = [](const Tensor& self) -> Tensor { return (op<"erf">(self * 0.70710678118654752440) + 1) * 0.5; },
    .out_policy = OutPolicy{.device_error = "Expected all tensors to be on the same device, but found at least two devices, {} and {}!",
                            .recorded_as = written_as_leaf,
                            .casts = true},
});

}  // namespace
}  // namespace mt
