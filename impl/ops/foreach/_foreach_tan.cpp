// _foreach_tan: tan of each tensor of a list.
#include "rules/optim/foreach.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_foreach_tan(Tensor[] self) -> Tensor[]"},
    .forms = function,
    .doc = "Computes ``torch.tan`` of each tensor of a list: tangents.",
    .composite = foreach_tensor<"tan">,
});
MT_OP(OpDef{
    .schema = {"_foreach_tan_(Tensor(a!)[] self) -> ()"},
    .forms = function,
    .doc = "Computes ``torch.tan`` of each tensor of a list, in place.",
    .composite = foreach_tensor_<"tan_">,
});

}  // namespace
}  // namespace mt
