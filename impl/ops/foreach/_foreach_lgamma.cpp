// _foreach_lgamma: lgamma of each tensor of a list.
#include "rules/optim/foreach.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_foreach_lgamma(Tensor[] self) -> Tensor[]"},
    .forms = function,
    .doc = "Computes ``torch.lgamma`` of each tensor of a list: logarithms of the gamma function.",
    .composite = foreach_tensor<"lgamma">,
});
MT_OP(OpDef{
    .schema = {"_foreach_lgamma_(Tensor(a!)[] self) -> ()"},
    .forms = function,
    .doc = "Computes ``torch.lgamma`` of each tensor of a list, in place.",
    .composite = foreach_tensor_<"lgamma_">,
});

}  // namespace
}  // namespace mt
