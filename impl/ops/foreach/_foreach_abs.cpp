// _foreach_abs: abs of each tensor of a list.
#include "rules/optim/foreach.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_foreach_abs(Tensor[] self) -> Tensor[]"},
    .forms = function,
    .doc = "Computes ``torch.abs`` of each tensor of a list: absolute values.",
    .composite = foreach_tensor<"abs">,
});
MT_OP(OpDef{
    .schema = {"_foreach_abs_(Tensor(a!)[] self) -> ()"},
    .forms = function,
    .doc = "Computes ``torch.abs`` of each tensor of a list, in place.",
    .composite = foreach_tensor_<"abs_">,
});

}  // namespace
}  // namespace mt
