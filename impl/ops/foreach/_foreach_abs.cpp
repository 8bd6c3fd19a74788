// _foreach_abs: abs of each tensor of a list.
#include "rules/foreach.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_foreach_abs(Tensor[] self) -> Tensor[]"},
    .forms = function,
    .doc = "abs of each tensor of the list.",
    .composite = foreach_tensor<"abs">,
});
MT_OP(OpDef{
    .schema = {"_foreach_abs_(Tensor(a!)[] self) -> ()"},
    .forms = function,
    .doc = "abs of each tensor of the list, in place.",
    .composite = foreach_tensor_<"abs_">,
});

}  // namespace
}  // namespace mt
