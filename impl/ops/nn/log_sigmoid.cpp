// log_sigmoid: the logarithm of the logistic function.
#include "core/messages.h"
#include "rules/form/one_device.h"
#include "rules/nn/loss.h"
#include "rules/pointwise/pointwise_layout.h"

namespace mt {
namespace {

constexpr auto log_sigmoid_of = [](auto x) __attribute__((always_inline)) {
  using T = decltype(x);
  const T low = x < 0 ? x : T(0);
  return low - log1p_(exp_(-abs_(x)));
};
MT_OP(OpDef{
    .schema = {"log_sigmoid(Tensor self) -> Tensor"},
    .forms = function,
    .doc = R"(Computes ``log(1 / (1 + exp(-x)))`` for each element, without overflow.

It is computed as ``min(x, 0) - log(1 + exp(-|x|))``.

Args:
    self (Tensor): floating tensor.

Returns:
    Tensor: shape and dtype of `self`.

Example:
    >>> F.logsigmoid(torch.tensor([0.0, -100.0]))
    tensor([  -0.6931, -100.0000]))",
    .module = "nn",
    .rule = pointwise_with_layout(ResultLayout::in_rows),
    .cpu = elementwise<log_sigmoid_of, 1, dtypes::floating>("log_sigmoid_cpu").with_grain(4096),
    .npu = {"LogSigmoid"},
    .grad = {wrt("self", [](Grad g, In<"self"> x) { return g * op<"sigmoid">(-x); })},
});

// `out` is resized without a warning.
constexpr auto log_sigmoid_into = [](const Tensor& self, const Tensor& out) {
  BelowAutograd guard;
  check_copy_device(self.device(), out.device());
  const Tensor made = op<"log_sigmoid">(self);
  check(out.dtype() == made.dtype(), messages::expected_scalar_type, made.dtype(), out.dtype());
  store_result(out, made);
};
MT_OP(OpDef{
    .schema = {"log_sigmoid.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)"},
    .forms = out,
    .doc = "Computes ``log(1 / (1 + exp(-x)))`` for each element into `out`.",
    .module = "nn",
    .cpu = log_sigmoid_into,
    .npu = {any_device},
    .meta = log_sigmoid_into,
    .out_policy = OutPolicy{.recorded_as = "log_sigmoid_forward"},
});

}  // namespace
}  // namespace mt
