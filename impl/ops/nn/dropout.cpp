// dropout, dropout_: zeroes elements with probability `p` and divides the others by 1 - p, when `train`.
#include "rules/dropout.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"dropout(Tensor input, float p, bool train) -> Tensor"},
    .forms = function,
    .doc = "Zeroes elements with probability `p` and divides the others by 1 - p, when `train`.",
    .traits = MT_OP_RANDOM,
    .composite = [](const Tensor& input, double p, bool train) -> Tensor {
      return drop_out(input, p, train, Dropped::elements, Replacement::zero);
    },
});
MT_OP(OpDef{
    .schema = {"dropout_(Tensor(a!) self, float p, bool train) -> Tensor(a!)"},
    .forms = function,
    .doc = "dropout in place.",
    .traits = MT_OP_RANDOM,
    .composite = [](const Tensor& self, double p, bool train) {
      drop_out_in_place(self, p, train, Dropped::elements, Replacement::zero);
    },
});

}  // namespace
}  // namespace mt
