// pin_memory: the tensor itself where it is in pinned host memory, otherwise a copy that is.
#include "rules/pinned.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"pin_memory(Tensor(a) self, Device? device=None) -> Tensor(a)"},
    .forms = method,
    .doc = "The tensor itself where it is in pinned host memory, otherwise a copy that is.",
    .composite = [](const Tensor& self, std::optional<Device> device) -> Tensor {
      warn_of_device("pin_memory", device);
      return op<"is_pinned", bool>(self, device) ? self : op<"_pin_memory">(self, device);
    },
});

}  // namespace
}  // namespace mt
