// celu: max(0, x) + min(0, alpha * (exp(x / alpha) - 1)).
#include "rules/form/algebra.h"
#include "rules/form/rule.h"

namespace mt {
namespace {

constexpr auto celu_of = [](const Tensor& self, Scalar alpha) -> Tensor {
  check(alpha.to_double() != 0, "ZeroDivisionError: alpha cannot be 0 for CELU");
  BelowAutograd guard;
  return op<"elu">(self, alpha, 1.0, 1.0 / alpha.to_double());
};

MT_OP(OpDef{
    .schema = {"celu(Tensor self, Scalar alpha=1.0) -> Tensor"},
    .forms = function | inplace_function,
    .doc = R"(Computes ``max(0, x) + min(0, alpha * (exp(x / alpha) - 1))``, the continuously differentiable ELU.

The slope is 1 at 0 for every `alpha` (Barron, "Continuously differentiable exponential linear
units", 2017). In integers it is refused.

Args:
    self (Tensor): floating tensor.
    alpha (number): limit ``-alpha`` for small x; not 0. Default: ``1.0``.

Returns:
    Tensor: shape and dtype of `self`; the in-place form returns `self`.

Raises:
    RuntimeError: when `alpha` is 0.

Example:
    >>> torch.celu(torch.tensor([-1.0, 2.0]))
    tensor([-0.6321,  2.0000]))",
    .cpu = celu_of,
    .npu = {any_device},
    .meta = celu_of,
    .grad = {wrt("self",
                 [](Grad g, In<"self"> x, In<"alpha", Scalar> alpha, IsInplace inplace) {
                   const double a = alpha.value.to_double();
                   return op<"elu_backward">(g, *alpha, 1, 1 / a, inplace && a < 0, x);  // refused, then
                 })},
});

}  // namespace
}  // namespace mt
