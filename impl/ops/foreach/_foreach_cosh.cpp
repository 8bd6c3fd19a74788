// _foreach_cosh: cosh of each tensor of a list.
#include "rules/optim/foreach.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_foreach_cosh(Tensor[] self) -> Tensor[]"},
    .forms = function,
    .doc = "Computes ``torch.cosh`` of each tensor of a list: hyperbolic cosines.",
    .composite = foreach_tensor<"cosh">,
});
MT_OP(OpDef{
    .schema = {"_foreach_cosh_(Tensor(a!)[] self) -> ()"},
    .forms = function,
    .doc = "Computes ``torch.cosh`` of each tensor of a list, in place.",
    .composite = foreach_tensor_<"cosh_">,
});

}  // namespace
}  // namespace mt
