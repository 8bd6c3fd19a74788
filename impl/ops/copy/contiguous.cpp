// contiguous: the tensor itself if it is dense in the memory format, otherwise a copy that is.
#include "core/messages.h"
#include "rules/factory/factory.h"
#include "rules/sparse/sparse.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"contiguous(Tensor(a) self, *, MemoryFormat memory_format=contiguous_format) -> Tensor(a)"},
    .forms = method,
    .doc = R"(Returns `self` where it is dense in the memory format, otherwise a copy that is.

Args:
    self (Tensor): strided tensor.
    memory_format (torch.memory_format): ``torch.contiguous_format``, ``torch.channels_last`` (four
        dimensions) or ``torch.channels_last_3d`` (five). Default: ``torch.contiguous_format``.

Returns:
    Tensor: `self` or a new tensor.

Raises:
    RuntimeError: when `self` is sparse, or the format is ``torch.preserve_format``.

Example:
    >>> x = torch.zeros(2, 3).t()
    >>> x.is_contiguous(), x.contiguous().is_contiguous()
    (False, True))",
    .composite = [](const Tensor& self, MemoryFormat format) -> Tensor {
      check(format != MemoryFormat::preserve, "preserve memory format is unsupported by the contiguous operator");
      if (is_compressed(self.layout())) fail_for_contiguity(self);
      check(!is_sparse(self), messages::unsupported_memory_format_option, name_of(format));
      return self.is_contiguous(format) ? self : op<"clone">(self, format);
    },
});

}  // namespace
}  // namespace mt
