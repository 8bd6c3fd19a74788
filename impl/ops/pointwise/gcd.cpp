// gcd, lcm: the greatest common divisor.
#include "rules/algebra.h"
#include "rules/pointwise.h"
#include "rules/scalar_math.h"

namespace mt {
namespace {

constexpr auto divisor = [](auto a, auto b) {
  auto x = abs_(a), y = abs_(b);
  while (x != 0) {
    auto t = x;
    x = decltype(x)(y % x);
    y = t;
  }
  return y;
};

constexpr auto multiple = [](auto a, auto b) {
  using T = decltype(a);
  const T d = divisor(a, b);
  return d == 0 ? T(0) : T(abs_(T(a / d * b)));
};

MT_OP(OpDef{
    .schema = {"gcd(Tensor self, Tensor other) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = "The greatest common divisor.",
    .rule = pointwise(promoting),
    .cpu = elementwise<divisor, 2, dtypes::integral>("gcd_cpu"),
    .grad = not_differentiable,
});

MT_OP(OpDef{
    .schema = {"lcm(Tensor self, Tensor other) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = "The least common multiple.",
    .rule = pointwise(promoting),
    .cpu = elementwise<multiple, 2, dtypes::integral>("lcm_cpu"),
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
