// _foreach_log2: log2 of each tensor of a list.
#include "rules/optim/foreach.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_foreach_log2(Tensor[] self) -> Tensor[]"},
    .forms = function,
    .doc = "Computes ``torch.log2`` of each tensor of a list: logarithms of base 2.",
    .composite = foreach_tensor<"log2">,
});
MT_OP(OpDef{
    .schema = {"_foreach_log2_(Tensor(a!)[] self) -> ()"},
    .forms = function,
    .doc = "Computes ``torch.log2`` of each tensor of a list, in place.",
    .composite = foreach_tensor_<"log2_">,
});

}  // namespace
}  // namespace mt
