// mish: x times tanh of its softplus.
#include "rules/form/algebra.h"
#include "rules/form/checked.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"

namespace mt {
namespace {

constexpr auto mish_of = [](auto x) __attribute__((always_inline)) { return x * tanh_(log1p_(exp_(x))); };

MT_OP(OpDef{
    .schema = {"mish(Tensor self) -> Tensor"},
    .forms = function | inplace_function | out,
    .doc = R"(Computes x * tanh(log(1 + exp(x))) for each element.

From Misra, "Mish: A Self Regularized Non-Monotonic Activation Function" (2019), equation 1.

Args:
    self (Tensor): any shape; floating.

Returns:
    Tensor: shape and dtype of `self`.

Example:
    >>> F.mish(torch.tensor([-1.0, 0.0, 1.0]))
    tensor([-0.3034,  0.0000,  0.8651]))",
    .module = "nn",
    .rule = rule_after_check(refuse_converting_out, pointwise(promoting)),
    .cpu = elementwise<mish_of, 1, dtypes::floating>("mish_cpu").with_grain(4096),
    .npu = {"Mish"},
    .grad = {wrt("self", [](Grad g, In<"self"> x) { return op<"mish_backward">(g, x); })},
});

}  // namespace
}  // namespace mt
