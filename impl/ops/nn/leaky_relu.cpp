// leaky_relu: x where positive, a small multiple elsewhere.
#include "rules/algebra.h"
#include "rules/pointwise.h"
#include "rules/scalar_math.h"

namespace mt {
namespace {

constexpr auto leaky_relu_of = [](auto x, auto s) { return x > 0 ? x : x * s; };

MT_OP(OpDef{
    .schema = {"leaky_relu(Tensor self, Scalar negative_slope=0.01) -> Tensor"},
    .forms = function | inplace_function | out,
    .doc = "x where positive, `negative_slope` * x elsewhere.",
    .module = "nn",
    .rule = pointwise(promoting),
    .cpu = elementwise<leaky_relu_of, 2, dtypes::floating>("leaky_relu_cpu"),
    .npu = {"LeakyRelu"},
    .grad = {wrt("self", [](Grad g, In<"self"> x, In<"negative_slope", Scalar> s) { return op<"leaky_relu_backward">(g, x, *s, false); })},
});

}  // namespace
}  // namespace mt
