// atan2: the angle of the point (other, self).
#include "cpu/math/vecmath_more.h"
#include "rules/form/algebra.h"
#include "rules/pointwise/pointwise.h"

namespace mt {
namespace {

// Forced inlining: GCC's flatten attribute does not inline a body of this size, and a loop with a call stays scalar.
constexpr auto atan2_of = [](auto y, auto x) __attribute__((always_inline)) { return cpu::vec::atan2(y, x); };

// 1 / (x^2 + y^2), and 0 at the origin, where torch defines the gradient as 0.
Tensor inverse_squared_norm(const Tensor& y, const Tensor& x) {
  const Tensor square = x * x + y * y;
  return op<"masked_fill">(op<"reciprocal">(square), op<"eq">(square, 0), 0.0);
}

MT_OP(OpDef{
    .schema = {"atan2(Tensor self, Tensor other) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = R"(Computes the angle of the point with ordinate `self` and abscissa `other`, in radians, in [-pi, pi].

The signs of both arguments choose the quadrant, those of zeros too: atan2(-0.0, -1) is -pi.
atan2(0, 0) is 0. NaN in either gives NaN. The tensors broadcast and their dtypes are promoted.
Integers are converted to the default float dtype. The gradients are `other` / (`self`^2 +
`other`^2) and -`self` / (`self`^2 + `other`^2), taken as 0 at the origin.

Args:
    self (Tensor): ordinates (y); not complex.
    other (Tensor): abscissas (x); not complex.

Returns:
    Tensor: the broadcast shape, in the promoted floating dtype.

Example:
    >>> torch.atan2(torch.tensor([1.0, -1.0, 0.0]), torch.tensor([1.0, -1.0, -1.0]))
    tensor([ 0.7854, -2.3562,  3.1416]))",
    .aliases = "arctan2",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise<atan2_of, 2, dtypes::floating>("atan2_cpu"),
    .npu = {"Atan2"},
    .autocast = on_npu(Autocast::promote),
    .grad = {wrt("self", [](Grad g, In<"self"> y, In<"other"> x) { return g * (x * inverse_squared_norm(y, x)); }),
             wrt("other", [](Grad g, In<"self"> y, In<"other"> x) { return g * (-y * inverse_squared_norm(y, x)); })},
});

}  // namespace
}  // namespace mt
