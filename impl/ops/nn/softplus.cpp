// softplus: a smooth approximation of relu.
#include "rules/form/algebra.h"
#include "rules/form/checked.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"

namespace mt {
namespace {

constexpr auto softplus_of = [](auto x, auto b, auto t)
                                 __attribute__((always_inline)) { return select_(x * b > t, x, log1p_(exp_(x * b)) / b); };

MT_OP(OpDef{
    .schema = {"softplus(Tensor self, Scalar beta=1, Scalar threshold=20) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes ``log(1 + exp(beta * x)) / beta``, a smooth form of ReLU.

Where ``beta * x`` exceeds `threshold` it is x itself; the difference is below rounding for the
defaults in float32.

Args:
    self (Tensor): floating tensor.
    beta (number): sharpness. Default: ``1``.
    threshold (number): where the linear part begins. Default: ``20``.

Returns:
    Tensor: shape and dtype of `self`.

Example:
    >>> F.softplus(torch.tensor([0.0, 30.0]))
    tensor([ 0.6931, 30.0000]))",
    .module = "nn",
    .rule = rule_after_check(refuse_converting_out, pointwise(promoting)),
    .cpu = elementwise<softplus_of, 3, dtypes::floating>("softplus_cpu"),
    .npu = {"Softplus"},
    .autocast = on_npu(Autocast::fp32),
    .grad = {wrt("self",
                 [](Grad g, In<"self"> x, In<"beta", Scalar> b, In<"threshold", Scalar> t) {
                   Tensor z = x * *b;
                   return op<"where">(op<"gt">(z, *t), g, g * op<"sigmoid">(z));
                 })},
});

}  // namespace
}  // namespace mt
