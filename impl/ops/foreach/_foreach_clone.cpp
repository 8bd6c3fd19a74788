// _foreach_clone: a copy of each tensor of a list.
#include "rules/optim/foreach.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_foreach_clone(Tensor[] self, *, MemoryFormat? memory_format=None) -> Tensor[]"},
    .forms = function,
    .doc = "Copies each tensor of a list.",
    .composite = [](TensorList self, std::optional<MemoryFormat> format) -> std::vector<Tensor> {
      check_list(self);
      std::vector<Tensor> out;
      for (const Tensor& t : self) out.push_back(op<"clone">(t, format));
      return out;
    },
});

}  // namespace
}  // namespace mt
