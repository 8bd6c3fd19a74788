// logit: log(x / (1 - x)); x is held between eps and 1 - eps where eps is given.
#include "rules/algebra.h"
#include "rules/pointwise.h"
#include "rules/scalar_math.h"

namespace mt {
namespace {

constexpr auto log_odds = [](auto x) { return log_(x / (1 - x)); };

MT_OP(OpDef{
    .schema = {"logit(Tensor self, float? eps=None) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = "log(x / (1 - x)); x is held between eps and 1 - eps where eps is given.",
    .aliases = "special_logit",
    .composite = [](const Tensor& self, std::optional<double> eps) -> Tensor {
      Tensor x = eps ? op<"clamp">(self, *eps, 1 - *eps) : self;
      return op<"_logit_of">(x);
    },
});

MT_OP(OpDef{
    .schema = {"_logit_of(Tensor self) -> Tensor"},
    .doc = "log(x / (1 - x)).",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise<log_odds, 1, dtypes::floating>("logit_cpu"),
    .grad = {wrt("self", [](Grad g, In<"self"> x) { return g / (x * (1 - x)); })},
    .grad_name = "LogitBackward0",
});

}  // namespace
}  // namespace mt
