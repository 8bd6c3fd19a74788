// _foreach_sinh: sinh of each tensor of a list.
#include "rules/optim/foreach.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_foreach_sinh(Tensor[] self) -> Tensor[]"},
    .forms = function,
    .doc = "Computes ``torch.sinh`` of each tensor of a list: hyperbolic sines.",
    .composite = foreach_tensor<"sinh">,
});
MT_OP(OpDef{
    .schema = {"_foreach_sinh_(Tensor(a!)[] self) -> ()"},
    .forms = function,
    .doc = "Computes ``torch.sinh`` of each tensor of a list, in place.",
    .composite = foreach_tensor_<"sinh_">,
});

}  // namespace
}  // namespace mt
