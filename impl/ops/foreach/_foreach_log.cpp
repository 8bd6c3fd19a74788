// _foreach_log: log of each tensor of a list.
#include "rules/foreach.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_foreach_log(Tensor[] self) -> Tensor[]"},
    .forms = function,
    .doc = "log of each tensor of the list.",
    .composite = foreach_tensor<"log">,
});
MT_OP(OpDef{
    .schema = {"_foreach_log_(Tensor(a!)[] self) -> ()"},
    .forms = function,
    .doc = "log of each tensor of the list, in place.",
    .composite = foreach_tensor_<"log_">,
});

}  // namespace
}  // namespace mt
