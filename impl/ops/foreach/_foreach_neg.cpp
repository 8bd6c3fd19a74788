// _foreach_neg: neg of each tensor of a list.
#include "rules/foreach.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_foreach_neg(Tensor[] self) -> Tensor[]"},
    .forms = function,
    .doc = "neg of each tensor of the list.",
    .composite = foreach_tensor<"neg">,
});
MT_OP(OpDef{
    .schema = {"_foreach_neg_(Tensor(a!)[] self) -> ()"},
    .forms = function,
    .doc = "neg of each tensor of the list, in place.",
    .composite = foreach_tensor_<"neg_">,
});

}  // namespace
}  // namespace mt
