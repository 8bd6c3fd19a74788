// hardswish: a piecewise approximation of silu.
#include "rules/form/algebra.h"
#include "rules/form/checked.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"

namespace mt {
namespace {

constexpr auto hardswish_of = [](auto x) {
  using T = decltype(x);
  T y = x + 3;
  y = y < 0 ? T(0) : y > 6 ? T(6) : y;
  return x * y / 6;
};

MT_OP(OpDef{
    .schema = {"hardswish(Tensor self) -> Tensor"},
    .forms = function | inplace_function | out,
    .doc = R"(Computes a piecewise approximation of silu for each element: x * clamp(x + 3, 0, 6) / 6.

From Howard et al., "Searching for MobileNetV3" (2019), section 5.2. The gradient is x / 3 + 1/2
where -3 < x < 3, 0 at and below -3, 1 at and above 3.

Args:
    self (Tensor): any shape; floating.

Returns:
    Tensor: shape and dtype of `self`.

Example:
    >>> F.hardswish(torch.tensor([-4.0, -1.0, 0.0, 4.0]))
    tensor([-0.0000, -0.3333,  0.0000,  4.0000]))",
    .module = "nn",
    .rule = rule_after_check(refuse_converting_out, pointwise(promoting)),
    .cpu = elementwise<hardswish_of, 1, dtypes::floating>("hardswish_cpu"),
    .npu = {"Hardswish"},
    .grad = {wrt("self", [](Grad g, In<"self"> x) { return op<"hardswish_backward">(g, x); })},
});

}  // namespace
}  // namespace mt
