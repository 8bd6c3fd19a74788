// _foreach_atan: atan of each tensor of a list.
#include "rules/optim/foreach.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_foreach_atan(Tensor[] self) -> Tensor[]"},
    .forms = function,
    .doc = "Computes ``torch.atan`` of each tensor of a list: arc tangents.",
    .composite = foreach_tensor<"atan">,
});
MT_OP(OpDef{
    .schema = {"_foreach_atan_(Tensor(a!)[] self) -> ()"},
    .forms = function,
    .doc = "Computes ``torch.atan`` of each tensor of a list, in place.",
    .composite = foreach_tensor_<"atan_">,
});

}  // namespace
}  // namespace mt
