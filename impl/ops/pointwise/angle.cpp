// angle: the angle of complex numbers; 0 or pi for real ones.
#include "cpu/math/vecmath_more.h"
#include "rules/form/algebra.h"
#include "rules/form/checked.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"
#include "rules/sparse/sparse.h"

namespace mt {
namespace {

// Forced inlining: GCC's flatten attribute does not inline a body of this size, and a loop with a call stays scalar.
constexpr auto angle_of = [](auto x) __attribute__((always_inline)) {
  using T = decltype(x);
  if constexpr (is_complex_type<T>)
    return cpu::vec::atan2(x.im, x.re);
  else
    return x != x ? x : x < 0 ? T(3.14159265358979323846) : T(0);
};

void refuse_meta_out(const Call& call) {
  if (call.op.form == Form::out && !Unbox<Tensor>::from(call.args[0]).is_meta()) fail("out Tensor doesn't have the correct device set");
}

MT_OP(OpDef{
    .schema = {"angle(Tensor self) -> Tensor"},
    .forms = function | method | out,
    .doc = R"(Computes the angle of each complex element, in radians, in [-pi, pi].

Real elements have the angle 0, or pi if they are negative; NaN stays NaN. Integer and bool input
is converted to the default float dtype. The gradient is 0 for real tensors, and 0 at a complex
zero.

Args:
    self (Tensor): any shape; floating, complex, integer or bool.

Returns:
    Tensor: shape of `self`; real, of the same precision for complex input.

Example:
    >>> torch.angle(torch.tensor([1j, -1 + 0j, 1 + 1j]))
    tensor([1.5708, 3.1416, 0.7854])
    >>> torch.angle(torch.tensor([-2.0, 0.0, 2.0]))
    tensor([3.1416, 0.0000, 0.0000]))",
    .rule = rule_after_meta_check(refuse_meta_out, pointwise(promoting_to_float)),
    .cpu = elementwise<angle_of, 1, dtypes::floating_and_complex>("angle_cpu"),
    .npu = {"AngleV2"},
    .compressed = on_values,
    .grad = {wrt("self",
                 [](Grad g, In<"self"> x) {
                   if (!is_complex(x.dtype())) return op<"zeros_like">(x);
                   const Tensor size = op<"abs">(x);
                   return op<"masked_fill">(g * x / (size * size) * Scalar(Complex<double>(0, 1)), op<"eq">(x, 0), 0);
                 })},
});

}  // namespace
}  // namespace mt
