// _foreach_round: round of each tensor of a list.
#include "rules/optim/foreach.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_foreach_round(Tensor[] self) -> Tensor[]"},
    .forms = function,
    .doc = "Computes ``torch.round`` of each tensor of a list: elements rounded to integers, halves to even.",
    .composite = foreach_tensor<"round">,
});
MT_OP(OpDef{
    .schema = {"_foreach_round_(Tensor(a!)[] self) -> ()"},
    .forms = function,
    .doc = "Computes ``torch.round`` of each tensor of a list, in place.",
    .composite = foreach_tensor_<"round_">,
});

}  // namespace
}  // namespace mt
