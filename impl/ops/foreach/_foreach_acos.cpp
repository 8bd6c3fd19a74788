// _foreach_acos: acos of each tensor of a list.
#include "rules/optim/foreach.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_foreach_acos(Tensor[] self) -> Tensor[]"},
    .forms = function,
    .doc = "Computes ``torch.acos`` of each tensor of a list: arc cosines.",
    .composite = foreach_tensor<"acos">,
});
MT_OP(OpDef{
    .schema = {"_foreach_acos_(Tensor(a!)[] self) -> ()"},
    .forms = function,
    .doc = "Computes ``torch.acos`` of each tensor of a list, in place.",
    .composite = foreach_tensor_<"acos_">,
});

}  // namespace
}  // namespace mt
