// _foreach_copy_: copies each tensor of the list `src` into the tensor at the same position of the list `self`.
#include "rules/optim/foreach.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_foreach_copy_(Tensor(a!)[] self, Tensor[] src, bool non_blocking=False) -> ()"},
    .forms = function,
    .doc = "Copies each tensor of `src` into that of `self`, converting dtype and device.",
    .composite =
        [](TensorList self, TensorList src, bool non_blocking) {
          check_lists(self, src);
          for (int64_t i = 0; i < self.count; ++i) op<"copy_">(self[i], src[i], non_blocking);
        },
});

}  // namespace
}  // namespace mt
