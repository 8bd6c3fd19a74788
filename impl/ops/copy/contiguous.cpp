// contiguous: the tensor itself where it is dense in the memory format, otherwise a copy that is.
#include "rules/sparse.h"
#include "rules/factory.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"contiguous(Tensor(a) self, *, MemoryFormat memory_format=contiguous_format) -> Tensor(a)"},
    .forms = method,
    .doc = "The tensor itself where it is dense in the memory format, otherwise a copy that is.",
    .composite = [](const Tensor& self, MemoryFormat format) -> Tensor {
      check(format != MemoryFormat::preserve, "preserve memory format is unsupported by the contiguous operator");
      if (is_compressed(self.layout())) fail_for_contiguity(self);
      check(!is_sparse(self), "unsupported memory format option {}", name_of(format));
      return self.is_contiguous(format) ? self : op<"clone">(self, format);
    },
});

}  // namespace
}  // namespace mt
