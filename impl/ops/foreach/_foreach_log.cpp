// _foreach_log: log of each tensor of a list.
#include "rules/optim/foreach.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_foreach_log(Tensor[] self) -> Tensor[]"},
    .forms = function,
    .doc = "Computes ``torch.log`` of each tensor of a list: natural logarithms.",
    .composite = foreach_tensor<"log">,
});
MT_OP(OpDef{
    .schema = {"_foreach_log_(Tensor(a!)[] self) -> ()"},
    .forms = function,
    .doc = "Computes ``torch.log`` of each tensor of a list, in place.",
    .composite = foreach_tensor_<"log_">,
});

}  // namespace
}  // namespace mt
