// _has_compatible_shallow_copy_type: whether `self.data = from` may keep the object of `self`.
#include "rules/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_has_compatible_shallow_copy_type(Tensor self, Tensor from) -> bool"},
    .forms = function,
    .doc = "Whether one tensor can take over the other's data: real devices among each other, meta with meta.",
    .composite = [](const Tensor& self, const Tensor& from) -> bool { return self.is_meta() == from.is_meta() && self.layout() == from.layout(); },
});

}  // namespace
}  // namespace mt
