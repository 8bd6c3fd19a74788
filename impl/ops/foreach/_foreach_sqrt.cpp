// _foreach_sqrt: sqrt of each tensor of a list.
#include "rules/foreach.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_foreach_sqrt(Tensor[] self) -> Tensor[]"},
    .forms = function,
    .doc = "sqrt of each tensor of the list.",
    .composite = foreach_tensor<"sqrt">,
});
MT_OP(OpDef{
    .schema = {"_foreach_sqrt_(Tensor(a!)[] self) -> ()"},
    .forms = function,
    .doc = "sqrt of each tensor of the list, in place.",
    .composite = foreach_tensor_<"sqrt_">,
});

}  // namespace
}  // namespace mt
