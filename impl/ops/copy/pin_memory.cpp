// pin_memory: the tensor itself if it is in pinned host memory, otherwise a copy that is.
#include "rules/form/pinned.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"pin_memory(Tensor(a) self, Device? device=None) -> Tensor(a)"},
    .forms = method,
    .doc = R"(Returns `self` where it is in pinned host memory, otherwise a copy that is.

A device copies pinned memory by itself, so ``non_blocking=True`` can overlap with other work.
Without a device it raises.

Args:
    self (Tensor): dense tensor on the CPU.

Returns:
    Tensor: `self` or a new tensor.

Raises:
    RuntimeError: when there is no accelerator or `self` is not a dense CPU tensor.

Example:
    >>> x = torch.zeros(2)
    >>> x = x.pin_memory() if torch.accelerator.is_available() else x
    >>> x
    tensor([0., 0.]))",
    .composite = [](const Tensor& self, std::optional<Device> device) -> Tensor {
      warn_of_device("pin_memory", device);
      return op<"is_pinned", bool>(self, device) ? self : op<"_pin_memory">(self, device);
    },
});

}  // namespace
}  // namespace mt
