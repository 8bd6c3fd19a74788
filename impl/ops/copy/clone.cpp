// clone and contiguous: a copy; a copy only where needed.
#include "rules/factory.h"

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
    .meta = cloned,
    .grad = {wrt("self", [](Grad g) { return Tensor(g); })},
});
MT_OP(OpDef{
    .schema = {"contiguous(Tensor(a) self, *, MemoryFormat memory_format=contiguous_format) -> Tensor(a)"},
    .forms = method,
    .doc = "The tensor itself where it is dense in the memory format, otherwise a copy that is.",
    .composite = [](const Tensor& self, MemoryFormat format) -> Tensor {
      check(format != MemoryFormat::preserve, "preserve memory format is unsupported by the contiguous operator");
      return self.is_contiguous(format) ? self : op<"clone">(self, format);
    },
});

}  // namespace
}  // namespace mt
