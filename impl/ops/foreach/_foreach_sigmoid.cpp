// _foreach_sigmoid: sigmoid of each tensor of a list.
#include "rules/optim/foreach.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_foreach_sigmoid(Tensor[] self) -> Tensor[]"},
    .forms = function,
    .doc = "Computes ``torch.sigmoid`` of each tensor of a list: logistic function.",
    .composite = foreach_tensor<"sigmoid">,
});
MT_OP(OpDef{
    .schema = {"_foreach_sigmoid_(Tensor(a!)[] self) -> ()"},
    .forms = function,
    .doc = "Computes ``torch.sigmoid`` of each tensor of a list, in place.",
    .composite = foreach_tensor_<"sigmoid_">,
});

}  // namespace
}  // namespace mt
