// _foreach_floor: floor of each tensor of a list.
#include "rules/optim/foreach.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_foreach_floor(Tensor[] self) -> Tensor[]"},
    .forms = function,
    .doc = "Computes ``torch.floor`` of each tensor of a list: elements rounded down.",
    .composite = foreach_tensor<"floor">,
});
MT_OP(OpDef{
    .schema = {"_foreach_floor_(Tensor(a!)[] self) -> ()"},
    .forms = function,
    .doc = "Computes ``torch.floor`` of each tensor of a list, in place.",
    .composite = foreach_tensor_<"floor_">,
});

}  // namespace
}  // namespace mt
