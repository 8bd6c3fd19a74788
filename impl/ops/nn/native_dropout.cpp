// native_dropout: dropout that also gives the mask of kept elements.
#include "rules/algebra.h"

namespace mt {
namespace {

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
