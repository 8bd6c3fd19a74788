// _foreach_rsqrt: rsqrt of each tensor of a list.
#include "rules/foreach.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_foreach_rsqrt(Tensor[] self) -> Tensor[]"},
    .forms = function,
    .doc = "rsqrt of each tensor of the list.",
    .composite = foreach_tensor<"rsqrt">,
});
MT_OP(OpDef{
    .schema = {"_foreach_rsqrt_(Tensor(a!)[] self) -> ()"},
    .forms = function,
    .doc = "rsqrt of each tensor of the list, in place.",
    .composite = foreach_tensor_<"rsqrt_">,
});

}  // namespace
}  // namespace mt
