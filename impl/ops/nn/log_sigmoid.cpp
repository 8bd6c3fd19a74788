// log_sigmoid: the logarithm of the logistic function.
#include "dispatch/out_words.h"
#include "rules/loss.h"

namespace mt {
namespace {

constexpr auto stable = [](auto x) __attribute__((always_inline)) {
  using T = decltype(x);
  const T low = x < 0 ? x : T(0);
  return low - log1p_(exp_(-abs_(x)));
};
MT_OP(OpDef{
    .schema = {"log_sigmoid(Tensor self) -> Tensor"},
    .forms = function | out,
    .doc = "log(1 / (1 + exp(-x))) for each element.",
    .module = "nn",
    .rule = pointwise(promoting),
    .cpu = elementwise<stable, 1, dtypes::floating>("log_sigmoid_cpu").with_grain(4096),
    .npu = {"LogSigmoid"},
    .grad = {wrt("self", [](Grad g, In<"self"> x) { return g * op<"sigmoid">(-x); })},
});

MT_OUT("log_sigmoid", .dtype = "expected scalar type {} but found {}", .recorded_as = "log_sigmoid_forward");

}  // namespace
}  // namespace mt
