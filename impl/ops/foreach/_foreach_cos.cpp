// _foreach_cos: cos of each tensor of a list.
#include "rules/optim/foreach.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_foreach_cos(Tensor[] self) -> Tensor[]"},
    .forms = function,
    .doc = "Computes ``torch.cos`` of each tensor of a list: cosines.",
    .composite = foreach_tensor<"cos">,
});
MT_OP(OpDef{
    .schema = {"_foreach_cos_(Tensor(a!)[] self) -> ()"},
    .forms = function,
    .doc = "Computes ``torch.cos`` of each tensor of a list, in place.",
    .composite = foreach_tensor_<"cos_">,
});

}  // namespace
}  // namespace mt
