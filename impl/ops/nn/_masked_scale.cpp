// _masked_scale: the backward of dropout on other devices.
#include "rules/form/algebra.h"

namespace mt {
namespace {

// As in torch, this operator has no CPU kernel.
MT_OP(OpDef{
    .schema = {"_masked_scale(Tensor self, Tensor mask, float scale) -> Tensor"},
    .forms = function,
    .doc = "Multiplies `self` by `mask` and `scale`: dropout's backward of other devices; no kernel on the CPU.",
    .meta = [](const Tensor& self, const Tensor&, double) -> Tensor { return op<"empty_like">(self); },
});

}  // namespace
}  // namespace mt
