// _foreach_reciprocal: reciprocal of each tensor of a list.
#include "rules/optim/foreach.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_foreach_reciprocal(Tensor[] self) -> Tensor[]"},
    .forms = function,
    .doc = "Computes ``torch.reciprocal`` of each tensor of a list: reciprocals.",
    .composite = foreach_tensor<"reciprocal">,
});
MT_OP(OpDef{
    .schema = {"_foreach_reciprocal_(Tensor(a!)[] self) -> ()"},
    .forms = function,
    .doc = "Computes ``torch.reciprocal`` of each tensor of a list, in place.",
    .composite = foreach_tensor_<"reciprocal_">,
});

}  // namespace
}  // namespace mt
