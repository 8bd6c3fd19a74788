// _foreach_rsqrt: rsqrt of each tensor of a list.
#include "rules/optim/foreach.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_foreach_rsqrt(Tensor[] self) -> Tensor[]"},
    .forms = function,
    .doc = "Computes ``torch.rsqrt`` of each tensor of a list: reciprocals of the square roots.",
    .composite = foreach_tensor<"rsqrt">,
});
MT_OP(OpDef{
    .schema = {"_foreach_rsqrt_(Tensor(a!)[] self) -> ()"},
    .forms = function,
    .doc = "Computes ``torch.rsqrt`` of each tensor of a list, in place.",
    .composite = foreach_tensor_<"rsqrt_">,
});

}  // namespace
}  // namespace mt
