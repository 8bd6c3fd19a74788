// _foreach_erfc: erfc of each tensor of a list.
#include "rules/optim/foreach.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_foreach_erfc(Tensor[] self) -> Tensor[]"},
    .forms = function,
    .doc = "Computes ``torch.erfc`` of each tensor of a list: complementary error function.",
    .composite = foreach_tensor<"erfc">,
});
MT_OP(OpDef{
    .schema = {"_foreach_erfc_(Tensor(a!)[] self) -> ()"},
    .forms = function,
    .doc = "Computes ``torch.erfc`` of each tensor of a list, in place.",
    .composite = foreach_tensor_<"erfc_">,
});

}  // namespace
}  // namespace mt
