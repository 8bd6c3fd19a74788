// dropout: elements dropped at random, the rest scaled up.
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
MT_OP(OpDef{
    .schema = {"native_dropout(Tensor input, float p, bool? train) -> (Tensor, Tensor)"},
    .forms = function,
    .doc = "dropout that also gives the mask of kept elements.",
    .traits = MT_OP_RANDOM,
    .composite = [](const Tensor& input, double p, std::optional<bool> train) -> Tensors<2> {
      if (train && !*train) return {{input, op<"ones">(input.sizes(), Dtype::boolean, nullptr, input.device())}};
      if (p == 1) return {{op<"zeros_like">(input), op<"zeros">(input.sizes(), Dtype::boolean, nullptr, input.device())}};
      Tensor mask = op<"empty_like">(input, Dtype::boolean);
      op<"bernoulli_.float">(mask, 1 - p);
      return {{input * mask * (1 / (1 - p)), mask}};
    },
});

}  // namespace
}  // namespace mt
