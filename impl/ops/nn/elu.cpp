// elu: x where positive, a scaled exponential elsewhere.
#include "rules/algebra.h"
#include "rules/pointwise.h"
#include "rules/scalar_math.h"

namespace mt {
namespace {

constexpr auto elu_of = [](auto x, auto a, auto s, auto i) { return select_(x > 0, x * s, expm1_(x * i) * (a * s)); };

MT_OP(OpDef{
    .schema = {"elu(Tensor self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1) -> Tensor"},
    .forms = function | inplace_function | out,
    .doc = R"(Computes the exponential linear unit: x where positive, ``alpha * (exp(x) - 1)`` elsewhere.

With all arguments: ``scale * x`` where x > 0, ``alpha * scale * (exp(input_scale * x) - 1)``
elsewhere (Clevert et al., "Fast and accurate deep network learning by exponential linear units",
ICLR 2016).

Args:
    self (Tensor): floating tensor.
    alpha (number): limit ``-alpha`` for small x. Default: ``1``.
    scale (number): factor of the result. Default: ``1``.
    input_scale (number): factor of x in the exponential. Default: ``1``.

Returns:
    Tensor: shape and dtype of `self`; the in-place form returns `self`.

Example:
    >>> F.elu(torch.tensor([-1.0, 2.0]))
    tensor([-0.6321,  2.0000]))",
    .module = "nn",
    .rule = pointwise(promoting),
    .cpu = elementwise<elu_of, 4, dtypes::floating>("elu_cpu"),
    .npu = {"Elu"},
    .grad = {wrt("self",
                 [](Grad g, In<"self"> x, In<"alpha", Scalar> a, In<"scale", Scalar> s, In<"input_scale", Scalar> i) {
                   const double c = a.value.to_double() * s.value.to_double() * i.value.to_double();
                   return op<"where">(op<"gt">(x, 0), g * *s, g * (op<"exp">(x * *i) * c));
                 })},
});

}  // namespace
}  // namespace mt
