// clone: a copy, dense in the layout of `self` unless a memory format is given.
#include "rules/factory.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto cloned = [](const Tensor& self, std::optional<MemoryFormat> format) -> Tensor {
  Tensor out = empty_as(self, self.dtype(), self.device(), format);
  if (!self.is_meta()) copy_into(out, self);
  return out;
};

MT_OP(OpDef{
    .schema = {"clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor"},
    .forms = function | method,
    .doc = "A copy, dense in the layout of `self` unless a memory format is given.",
    .cpu = cloned,
    .npu = {any_device},
    .meta = cloned,
    .grad = {wrt("self", [](Grad g) { return Tensor(g); })},
});

MT_BATCH("clone", batch_leading);

}  // namespace
}  // namespace mt
