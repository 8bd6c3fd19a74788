// alpha_dropout, alpha_dropout_: dropout to the negative limit of SELU, which keeps mean and variance.
#include "rules/dropout.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"alpha_dropout(Tensor input, float p, bool train) -> Tensor"},
    .forms = function,
    .doc = "dropout to the negative limit of SELU, which keeps mean and variance.",
    .traits = MT_OP_RANDOM,
    .composite = [](const Tensor& input, double p, bool train) -> Tensor {
      return drop_out(input, p, train, Dropped::elements, Replacement::negative_limit);
    },
});
MT_OP(OpDef{
    .schema = {"alpha_dropout_(Tensor(a!) self, float p, bool train) -> Tensor(a!)"},
    .forms = function,
    .doc = "alpha_dropout in place.",
    .traits = MT_OP_RANDOM,
    .composite = [](const Tensor& self, double p, bool train) {
      drop_out_in_place(self, p, train, Dropped::elements, Replacement::negative_limit);
    },
});

}  // namespace
}  // namespace mt
