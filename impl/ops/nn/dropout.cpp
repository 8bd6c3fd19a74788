// dropout, dropout_: zeroes elements with probability `p` and divides the others by 1 - p, when `train`.
#include "rules/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"dropout(Tensor input, float p, bool train) -> Tensor"},
    .forms = function,
    .doc = "Zeroes elements with probability `p` and divides the others by 1 - p, when `train`.",
    .traits = MT_OP_RANDOM,
    .composite = [](const Tensor& input, double p, bool train) -> Tensor {
      check(p >= 0 && p <= 1, "dropout probability has to be between 0 and 1, but got {}", p);
      if (p == 0 || !train || input.numel() == 0) return input;
      if (p == 1) return input * op<"zeros">(IntList(), input.dtype(), nullptr, input.device());
      Tensor noise = op<"empty_like">(input);
      op<"bernoulli_.float">(noise, 1 - p);
      op<"div_">(noise, 1 - p);
      return input * noise;
    },
});

MT_OP(OpDef{
    .schema = {"dropout_(Tensor(a!) self, float p, bool train) -> Tensor(a!)"},
    .forms = function,
    .doc = "dropout in place.",
    .traits = MT_OP_RANDOM,
    .composite = [](const Tensor& self, double p, bool train) {
      check(p >= 0 && p <= 1, "dropout probability has to be between 0 and 1, but got {}", p);
      if (p == 0 || !train || self.numel() == 0) return;
      if (p == 1) {
        op<"zero_">(self);
        return;
      }
      Tensor noise = op<"empty_like">(self);
      op<"bernoulli_.float">(noise, 1 - p);
      op<"div_">(noise, 1 - p);
      op<"mul_">(self, noise);
    },
});

}  // namespace
}  // namespace mt
