// _foreach_log1p: log1p of each tensor of a list.
#include "rules/optim/foreach.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_foreach_log1p(Tensor[] self) -> Tensor[]"},
    .forms = function,
    .doc = "Computes ``torch.log1p`` of each tensor of a list: logarithms of 1 plus the elements.",
    .composite = foreach_tensor<"log1p">,
});
MT_OP(OpDef{
    .schema = {"_foreach_log1p_(Tensor(a!)[] self) -> ()"},
    .forms = function,
    .doc = "Computes ``torch.log1p`` of each tensor of a list, in place.",
    .composite = foreach_tensor_<"log1p_">,
});

}  // namespace
}  // namespace mt
