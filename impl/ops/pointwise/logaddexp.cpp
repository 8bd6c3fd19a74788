// logaddexp: log(exp(self) + exp(other)) without overflow.
#include "rules/algebra.h"
#include "rules/pointwise.h"
#include "rules/scalar_math.h"

namespace mt {
namespace {

constexpr auto log_sum = [](auto a, auto b) {
  if (abs_(a) == decltype(a)(__builtin_inf()) && a == b) return a;
  const auto m = a < b ? b : a;
  return m + log1p_(exp_(-abs_(a - b)));
};

MT_OP(OpDef{
    .schema = {"logaddexp(Tensor self, Tensor other) -> Tensor"},
    .forms = function | method | out,
    .doc = "log(exp(self) + exp(other)) without overflow.",
    .rule = pointwise(promoting),
    .cpu = elementwise<log_sum, 2, dtypes::floating>("logaddexp_cpu"),
    .grad = {wrt("self", [](Grad g, In<"self"> a, In<"other"> b) { return g / (op<"exp">(b - a) + 1); }),
             wrt("other", [](Grad g, In<"self"> a, In<"other"> b) { return g / (op<"exp">(a - b) + 1); })},
});

}  // namespace
}  // namespace mt
