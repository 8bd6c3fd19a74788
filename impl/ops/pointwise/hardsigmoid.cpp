// hardsigmoid: a piecewise approximation of the logistic function.
#include "rules/form/algebra.h"
#include "rules/form/checked.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"

namespace mt {
namespace {

constexpr auto hardsigmoid_of = [](auto x) {
  using T = decltype(x);
  T y = x + 3;
  y = y < 0 ? T(0) : y > 6 ? T(6) : y;
  return y / 6;
};

MT_OP(OpDef{
    .schema = {"hardsigmoid(Tensor self) -> Tensor"},
    .forms = function | inplace_function | out,
    .doc = R"(Computes a piecewise linear sigmoid of each element: clamp(x + 3, 0, 6) / 6.

The gradient is 1/6 where -3 < x < 3, else 0, at the corners too.

Args:
    self (Tensor): any shape; floating.

Returns:
    Tensor: shape and dtype of `self`.

Example:
    >>> F.hardsigmoid(torch.tensor([-4.0, 0.0, 1.5, 4.0]))
    tensor([0.0000, 0.5000, 0.7500, 1.0000]))",
    .module = "nn",
    .rule = rule_after_check(refuse_converting_out, pointwise(promoting)),
    .cpu = elementwise<hardsigmoid_of, 1, dtypes::floating>("hardsigmoid_cpu"),
    .npu = {"Hardsigmoid"},
    .grad = {wrt("self", [](Grad g, In<"self"> x) { return op<"hardsigmoid_backward">(g, x); })},
});

}  // namespace
}  // namespace mt
