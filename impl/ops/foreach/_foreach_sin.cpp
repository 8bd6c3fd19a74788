// _foreach_sin: sin of each tensor of a list.
#include "rules/optim/foreach.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_foreach_sin(Tensor[] self) -> Tensor[]"},
    .forms = function,
    .doc = "Computes ``torch.sin`` of each tensor of a list: sines.",
    .composite = foreach_tensor<"sin">,
});
MT_OP(OpDef{
    .schema = {"_foreach_sin_(Tensor(a!)[] self) -> ()"},
    .forms = function,
    .doc = "Computes ``torch.sin`` of each tensor of a list, in place.",
    .composite = foreach_tensor_<"sin_">,
});

}  // namespace
}  // namespace mt
