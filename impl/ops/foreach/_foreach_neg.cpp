// _foreach_neg: neg of each tensor of a list.
#include "rules/optim/foreach.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_foreach_neg(Tensor[] self) -> Tensor[]"},
    .forms = function,
    .doc = "Computes ``torch.neg`` of each tensor of a list: negatives.",
    .composite = foreach_tensor<"neg">,
});
MT_OP(OpDef{
    .schema = {"_foreach_neg_(Tensor(a!)[] self) -> ()"},
    .forms = function,
    .doc = "Computes ``torch.neg`` of each tensor of a list, in place.",
    .composite = foreach_tensor_<"neg_">,
});

}  // namespace
}  // namespace mt
