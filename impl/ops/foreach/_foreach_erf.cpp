// _foreach_erf: erf of each tensor of a list.
#include "rules/optim/foreach.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_foreach_erf(Tensor[] self) -> Tensor[]"},
    .forms = function,
    .doc = "Computes ``torch.erf`` of each tensor of a list: error function.",
    .composite = foreach_tensor<"erf">,
});
MT_OP(OpDef{
    .schema = {"_foreach_erf_(Tensor(a!)[] self) -> ()"},
    .forms = function,
    .doc = "Computes ``torch.erf`` of each tensor of a list, in place.",
    .composite = foreach_tensor_<"erf_">,
});

}  // namespace
}  // namespace mt
