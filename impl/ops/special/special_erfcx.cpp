// special_erfcx: exp(x^2) erfc(x), which neither overflows nor underflows for x > 0.
#include "rules/special/special.h"

namespace mt {
namespace {

constexpr auto erfcx_of = [](auto x) __attribute__((always_inline)) { return cpu::vec::scaled_erfc(x); };

MT_OP(OpDef{
    .schema = {"special_erfcx(Tensor self) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes the scaled complementary error function of each element: exp(x^2) erfc(x).

For positive x it neither overflows nor underflows, and falls like 1 / (x sqrt(pi)); it overflows
in float32 below about -9. float32 and float64 only; integer and bool input is converted to the
default float dtype. The gradient is 2 x result - 2 / sqrt(pi).

Args:
    self (Tensor): any shape; float32, float64, integer or bool.

Returns:
    Tensor: shape of the input; float32 or float64.

Example:
    >>> torch.special.erfcx(torch.tensor([0.0, 1.0, 100.0]))
    tensor([1.0000, 0.4276, 0.0056]))",
    .module = "special",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise_by_vector_calls<erfcx_of, 1>("erfcx_cpu"),
    .grad = {wrt("self", [](Grad g, In<"self"> x, Out<"result"> y) { return g * (x * y * 2 - 1.12837916709551257390); })},
});

}  // namespace
}  // namespace mt
