// _foreach_trunc: trunc of each tensor of a list.
#include "rules/optim/foreach.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_foreach_trunc(Tensor[] self) -> Tensor[]"},
    .forms = function,
    .doc = "Computes ``torch.trunc`` of each tensor of a list: integer parts.",
    .composite = foreach_tensor<"trunc">,
});
MT_OP(OpDef{
    .schema = {"_foreach_trunc_(Tensor(a!)[] self) -> ()"},
    .forms = function,
    .doc = "Computes ``torch.trunc`` of each tensor of a list, in place.",
    .composite = foreach_tensor_<"trunc_">,
});

}  // namespace
}  // namespace mt
