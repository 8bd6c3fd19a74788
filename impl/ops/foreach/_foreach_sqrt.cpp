// _foreach_sqrt: sqrt of each tensor of a list.
#include "rules/optim/foreach.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_foreach_sqrt(Tensor[] self) -> Tensor[]"},
    .forms = function,
    .doc = "Computes ``torch.sqrt`` of each tensor of a list: square roots.",
    .composite = foreach_tensor<"sqrt">,
});
MT_OP(OpDef{
    .schema = {"_foreach_sqrt_(Tensor(a!)[] self) -> ()"},
    .forms = function,
    .doc = "Computes ``torch.sqrt`` of each tensor of a list, in place.",
    .composite = foreach_tensor_<"sqrt_">,
});

}  // namespace
}  // namespace mt
