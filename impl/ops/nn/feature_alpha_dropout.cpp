// feature_alpha_dropout, feature_alpha_dropout_: alpha_dropout of whole channels: one draw for each sample and channel.
#include "rules/dropout.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"feature_alpha_dropout(Tensor input, float p, bool train) -> Tensor"},
    .forms = function,
    .doc = "alpha_dropout of whole channels: one draw for each sample and channel.",
    .traits = MT_OP_RANDOM,
    .composite = [](const Tensor& input, double p, bool train) -> Tensor {
      return drop_out(input, p, train, Dropped::channels, Replacement::negative_limit);
    },
});
MT_OP(OpDef{
    .schema = {"feature_alpha_dropout_(Tensor(a!) self, float p, bool train) -> Tensor(a!)"},
    .forms = function,
    .doc = "feature_alpha_dropout in place.",
    .traits = MT_OP_RANDOM,
    .composite = [](const Tensor& self, double p, bool train) {
      drop_out_in_place(self, p, train, Dropped::channels, Replacement::negative_limit);
    },
});

}  // namespace
}  // namespace mt
