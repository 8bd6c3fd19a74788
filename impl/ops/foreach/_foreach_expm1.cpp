// _foreach_expm1: expm1 of each tensor of a list.
#include "rules/optim/foreach.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_foreach_expm1(Tensor[] self) -> Tensor[]"},
    .forms = function,
    .doc = "Computes ``torch.expm1`` of each tensor of a list: exponentials minus 1.",
    .composite = foreach_tensor<"expm1">,
});
MT_OP(OpDef{
    .schema = {"_foreach_expm1_(Tensor(a!)[] self) -> ()"},
    .forms = function,
    .doc = "Computes ``torch.expm1`` of each tensor of a list, in place.",
    .composite = foreach_tensor_<"expm1_">,
});

}  // namespace
}  // namespace mt
