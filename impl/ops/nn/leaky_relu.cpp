// leaky_relu: x where positive, a small multiple elsewhere.
#include "rules/form/algebra.h"
#include "rules/form/checked.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"

namespace mt {
namespace {

constexpr auto leaky_relu_of = [](auto x, auto s) { return x > 0 ? x : x * s; };

MT_OP(OpDef{
    .schema = {"leaky_relu(Tensor self, Scalar negative_slope=0.01) -> Tensor"},
    .forms = function | inplace_function | out,
    .doc = R"(Computes x where positive and ``negative_slope * x`` elsewhere.

The slope at 0 is `negative_slope` (Maas, Hannun and Ng, "Rectifier nonlinearities improve neural
network acoustic models", 2013).

Args:
    self (Tensor): floating tensor.
    negative_slope (number): slope for x <= 0. Default: ``0.01``.

Returns:
    Tensor: shape and dtype of `self`; the in-place form returns `self`.

Example:
    >>> F.leaky_relu(torch.tensor([-1.0, 2.0]))
    tensor([-0.0100,  2.0000]))",
    .module = "nn",
    .rule = rule_after_check(refuse_converting_out, pointwise(promoting)),
    .cpu = elementwise<leaky_relu_of, 2, dtypes::floating>("leaky_relu_cpu"),
    .npu = {"LeakyRelu"},
    .grad = {wrt("self",
                 [](Grad g, In<"self"> x, In<"negative_slope", Scalar> s, IsInplace inplace) {
                   return op<"leaky_relu_backward">(g, x, *s, inplace && s.value.to_double() < 0);  // refused, then
                 })},
});

}  // namespace
}  // namespace mt
