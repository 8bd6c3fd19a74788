// isinf, isfinite: true where the element is infinite.
#include "rules/algebra.h"
#include "rules/pointwise.h"
#include "rules/scalar_math.h"
#include "rules/sparse.h"

namespace mt {
namespace {

constexpr auto infinite = [](auto x) {
  using T = decltype(x);
  if constexpr (is_complex_type<T>)
    return __builtin_isinf(x.re) || __builtin_isinf(x.im);
  else if constexpr (std::is_floating_point_v<T>)
    return abs_(x) == T(__builtin_inf());
  else
    return false;
};

constexpr auto finite = [](auto x) { return !infinite(x) && !isnan_(x); };

MT_OP(OpDef{
    .schema = {"isinf(Tensor self) -> Tensor"},
    .forms = function | method,
    .doc = "True where the element is infinite.",
    .rule = pointwise(promoting),
    .cpu = elementwise<infinite, 1>("isinf_cpu"),
    .npu = {"IsInf"},
    .sparse = on_values,
    .compressed = on_values,
    .grad = not_differentiable,
});

MT_OP(OpDef{
    .schema = {"isfinite(Tensor self) -> Tensor"},
    .forms = function | method,
    .doc = "True where the element is neither infinite nor NaN.",
    .rule = pointwise(promoting),
    .cpu = elementwise<finite, 1>("isfinite_cpu"),
    .npu = {"IsFinite"},
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
