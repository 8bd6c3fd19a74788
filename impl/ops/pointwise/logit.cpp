// logit: log(x / (1 - x)); x is held between eps and 1 - eps where eps is given.
#include "dispatch/out_words.h"
#include "rules/algebra.h"
#include "rules/pointwise.h"
#include "rules/scalar_math.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto log_odds = [](auto x) __attribute__((always_inline)) { return log_(x / (1 - x)); };

constexpr auto held_and_taken = [](const Tensor& self, std::optional<double> eps) -> Tensor {
  BelowAutograd guard;
  return op<"_logit_of">(eps ? op<"clamp">(self, *eps, 1 - *eps) : self);
};

MT_OP(OpDef{
    .schema = {"logit(Tensor self, float? eps=None) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = "log(x / (1 - x)); x is held between eps and 1 - eps where eps is given.",
    .aliases = "special_logit",
    .cpu = held_and_taken,
    .npu = {any_device},
    .meta = held_and_taken,
    .grad = {wrt("self", [](Grad g, In<"self"> x, In<"eps", std::optional<double>> eps) { return op<"logit_backward">(g, x, *eps); })},
});

// Outside of the bounds that `eps` sets the result is constant; outside of [0, 1] it is no number, and so is the slope.
constexpr auto slope = [](const Tensor& grad, const Tensor& x, std::optional<double> eps) -> Tensor {
  const bool bounded = eps && *eps >= 0;
  const double low = bounded ? *eps : 0;
  const Tensor outside = op<"logical_or">(op<"lt">(x, low), op<"gt">(x, 1 - low));
  return op<"where">(outside, bounded ? 0.0 : __builtin_nan(""), grad / (x * (1 - x)));
};
MT_OP(OpDef{
    .schema = {"logit_backward(Tensor grad_output, Tensor self, float? eps=None) -> Tensor"},
    .forms = internal | out,
    .doc = "The gradient of logit.",
    .module = "nn",
    .composite = slope,
});

MT_OP(OpDef{
    .schema = {"_logit_of(Tensor self) -> Tensor"},
    .doc = "log(x / (1 - x)).",
    .rule = pointwise(promoting_to_float),
    .cpu = elementwise<log_odds, 1, dtypes::floating>("logit_cpu"),
    .npu = {"Logit(self, -1.0)"},
});

MT_BATCH("logit", batch_aligned);

MT_OUT("logit", .converts = true, .keeps_strides = true);

}  // namespace
}  // namespace mt
