// _foreach_frac: frac of each tensor of a list.
#include "rules/optim/foreach.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_foreach_frac(Tensor[] self) -> Tensor[]"},
    .forms = function,
    .doc = "Computes ``torch.frac`` of each tensor of a list: fractional parts.",
    .composite = foreach_tensor<"frac">,
});
MT_OP(OpDef{
    .schema = {"_foreach_frac_(Tensor(a!)[] self) -> ()"},
    .forms = function,
    .doc = "Computes ``torch.frac`` of each tensor of a list, in place.",
    .composite = foreach_tensor_<"frac_">,
});

}  // namespace
}  // namespace mt
