// _foreach_exp: exp of each tensor of a list.
#include "rules/optim/foreach.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_foreach_exp(Tensor[] self) -> Tensor[]"},
    .forms = function,
    .doc = "Computes ``torch.exp`` of each tensor of a list: exponentials.",
    .composite = foreach_tensor<"exp">,
});
MT_OP(OpDef{
    .schema = {"_foreach_exp_(Tensor(a!)[] self) -> ()"},
    .forms = function,
    .doc = "Computes ``torch.exp`` of each tensor of a list, in place.",
    .composite = foreach_tensor_<"exp_">,
});

}  // namespace
}  // namespace mt
