// l1_loss: the absolute error.
#include "dispatch/autocast.h"
#include "rules/loss.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"l1_loss(Tensor self, Tensor target, int reduction=Mean) -> Tensor"},
    .forms = function,
    .doc = "The mean (or sum, or each) of |self - target|.",
    .module = "nn",
    .composite = [](const Tensor& x, const Tensor& y, int64_t reduction) -> Tensor { return reduce_loss(op<"abs">(x - y), reduction); },
    .autocast = everywhere(Autocast::fp32),
});

}  // namespace
}  // namespace mt
