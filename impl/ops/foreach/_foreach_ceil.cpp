// _foreach_ceil: ceil of each tensor of a list.
#include "rules/optim/foreach.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_foreach_ceil(Tensor[] self) -> Tensor[]"},
    .forms = function,
    .doc = "Computes ``torch.ceil`` of each tensor of a list: elements rounded up.",
    .composite = foreach_tensor<"ceil">,
});
MT_OP(OpDef{
    .schema = {"_foreach_ceil_(Tensor(a!)[] self) -> ()"},
    .forms = function,
    .doc = "Computes ``torch.ceil`` of each tensor of a list, in place.",
    .composite = foreach_tensor_<"ceil_">,
});

}  // namespace
}  // namespace mt
