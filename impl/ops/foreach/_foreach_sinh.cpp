// _foreach_sinh: sinh of each tensor of a list.
#include "rules/foreach.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_foreach_sinh(Tensor[] self) -> Tensor[]"},
    .forms = function,
    .doc = "sinh of each tensor of the list.",
    .composite = foreach_tensor<"sinh">,
});
MT_OP(OpDef{
    .schema = {"_foreach_sinh_(Tensor(a!)[] self) -> ()"},
    .forms = function,
    .doc = "sinh of each tensor of the list, in place.",
    .composite = foreach_tensor_<"sinh_">,
});

}  // namespace
}  // namespace mt
