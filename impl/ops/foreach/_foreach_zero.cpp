// _foreach_zero_: fills each tensor of a list with zeros.
#include "rules/optim/foreach.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_foreach_zero_(Tensor(a!)[] self) -> ()"},
    .forms = function,
    .doc = "Fills each tensor of a list with zeros, in place; ``zero_grad`` uses it.",
    .composite = foreach_tensor_<"zero_">,
});

}  // namespace
}  // namespace mt
