// _foreach_max: the largest element of each tensor of a list.
#include "rules/optim/foreach.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_foreach_max(Tensor[] self) -> Tensor[]"},
    .forms = function,
    .doc = R"(Returns the largest element of each tensor of a list.

An empty tensor is refused.)",
    .composite = [](TensorList self) -> std::vector<Tensor> {
      check_list(self);
      for (const Tensor& t : self)
        check(t.numel() > 0, "_foreach_max cannot compute the maximum of an empty tensor; max over zero elements is undefined.");
      return foreach_tensor<"max">(self);
    },
});

}  // namespace
}  // namespace mt
