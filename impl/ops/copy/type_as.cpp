// type_as: `self` in the dtype and device of `other`.
#include "rules/factory.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"type_as(Tensor self, Tensor other) -> Tensor"},
    .forms = method,
    .doc = "`self` in the dtype and device of `other`.",
    .composite = [](const Tensor& self, const Tensor& other) -> Tensor {
      check(self.layout() == other.layout() || (self.dtype() == other.dtype() && self.device() == other.device()),
            "to(options) doesn't support converting to a different layout, but got self.layout being {} and options.layout set as {}",
            name_of(self.layout()), name_of(other.layout()));
      return op<"to.other">(self, other);
    },
});

}  // namespace
}  // namespace mt
