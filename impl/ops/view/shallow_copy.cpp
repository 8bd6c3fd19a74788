// _has_compatible_shallow_copy_type: whether `self.data = from` may keep the object of `self`.
#include "rules/form/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_has_compatible_shallow_copy_type(Tensor self, Tensor from) -> bool"},
    .forms = function,
    .doc = R"(Returns whether `self` can take over the data of `from` by an assignment to ``self.data``.

Tensors on real devices can do so among each other, and meta tensors among each other.)",
    .composite = [](const Tensor& self, const Tensor& from) -> bool {
      return self.is_meta() == from.is_meta() && self.layout() == from.layout();
    },
});

}  // namespace
}  // namespace mt
