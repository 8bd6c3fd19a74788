// _foreach_tanh: tanh of each tensor of a list.
#include "rules/optim/foreach.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_foreach_tanh(Tensor[] self) -> Tensor[]"},
    .forms = function,
    .doc = "Computes ``torch.tanh`` of each tensor of a list: hyperbolic tangents.",
    .composite = foreach_tensor<"tanh">,
});
MT_OP(OpDef{
    .schema = {"_foreach_tanh_(Tensor(a!)[] self) -> ()"},
    .forms = function,
    .doc = "Computes ``torch.tanh`` of each tensor of a list, in place.",
    .composite = foreach_tensor_<"tanh_">,
});

}  // namespace
}  // namespace mt
