// _foreach_sign: sign of each tensor of a list.
#include "rules/optim/foreach.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_foreach_sign(Tensor[] self) -> Tensor[]"},
    .forms = function,
    .doc = "Computes ``torch.sign`` of each tensor of a list: signs.",
    .composite = foreach_tensor<"sign">,
});
MT_OP(OpDef{
    .schema = {"_foreach_sign_(Tensor(a!)[] self) -> ()"},
    .forms = function,
    .doc = "Computes ``torch.sign`` of each tensor of a list, in place.",
    .composite = foreach_tensor_<"sign_">,
});

}  // namespace
}  // namespace mt
