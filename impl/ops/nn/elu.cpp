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
    .doc = "x * scale where positive, alpha * scale * (exp(input_scale * x) - 1) elsewhere.",
    .module = "nn",
    .rule = pointwise(promoting),
    .cpu = elementwise<elu_of, 4, dtypes::floating>("elu_cpu"),
    .npu = {"Elu"},
    .grad = {wrt("self", [](Grad g, In<"self"> x, In<"alpha", Scalar> a, In<"scale", Scalar> s, In<"input_scale", Scalar> i) {
      const double c = a.value.to_double() * s.value.to_double() * i.value.to_double();
      return op<"where">(op<"gt">(x, 0), g * *s, g * (op<"exp">(x * *i) * c));
    })},
});

}  // namespace
}  // namespace mt
