// _foreach_log10: log10 of each tensor of a list.
#include "rules/optim/foreach.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_foreach_log10(Tensor[] self) -> Tensor[]"},
    .forms = function,
    .doc = "Computes ``torch.log10`` of each tensor of a list: logarithms of base 10.",
    .composite = foreach_tensor<"log10">,
});
MT_OP(OpDef{
    .schema = {"_foreach_log10_(Tensor(a!)[] self) -> ()"},
    .forms = function,
    .doc = "Computes ``torch.log10`` of each tensor of a list, in place.",
    .composite = foreach_tensor_<"log10_">,
});

}  // namespace
}  // namespace mt
