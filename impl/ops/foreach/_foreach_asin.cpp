// _foreach_asin: asin of each tensor of a list.
#include "rules/optim/foreach.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_foreach_asin(Tensor[] self) -> Tensor[]"},
    .forms = function,
    .doc = "Computes ``torch.asin`` of each tensor of a list: arc sines.",
    .composite = foreach_tensor<"asin">,
});
MT_OP(OpDef{
    .schema = {"_foreach_asin_(Tensor(a!)[] self) -> ()"},
    .forms = function,
    .doc = "Computes ``torch.asin`` of each tensor of a list, in place.",
    .composite = foreach_tensor_<"asin_">,
});

}  // namespace
}  // namespace mt
