// _foreach_trunc: trunc of each tensor of a list.
#include "rules/foreach.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_foreach_trunc(Tensor[] self) -> Tensor[]"},
    .forms = function,
    .doc = "trunc of each tensor of the list.",
    .composite = foreach_tensor<"trunc">,
});
MT_OP(OpDef{
    .schema = {"_foreach_trunc_(Tensor(a!)[] self) -> ()"},
    .forms = function,
    .doc = "trunc of each tensor of the list, in place.",
    .composite = foreach_tensor_<"trunc_">,
});

}  // namespace
}  // namespace mt
