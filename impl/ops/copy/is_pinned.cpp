// is_pinned: whether a tensor is in host memory that a device reads and writes directly.
#include "core/backend.h"
#include "rules/form/pinned.h"
#include "rules/sparse/sparse.h"

namespace mt {
namespace {

constexpr auto is_tensor_pinned = [](const Tensor& self, std::optional<Device> device) -> bool {
  warn_of_device("is_pinned", device);
  return self.device().is_cpu() && self->storage && backend_of(DeviceType::npu).is_pinned(self->storage->data);
};

constexpr auto are_values_pinned = [](const Tensor& self, std::optional<Device> device) -> bool {
  return is_tensor_pinned(components_of(self).values, device);
};

MT_OP(OpDef{
    .schema = {"is_pinned(Tensor self, Device? device=None) -> bool"},
    .forms = method,
    .doc = R"(Returns whether the tensor is in pinned host memory, which a device copies from and to by itself.

Args:
    self (Tensor): any tensor.

Returns:
    bool: ``False`` for tensors that are not on the CPU.

Example:
    >>> torch.zeros(1).is_pinned()
    False)",
    .cpu = is_tensor_pinned,
    .npu = {any_device},
    .meta = is_tensor_pinned,
    .sparse = are_values_pinned,
    .compressed = are_values_pinned,
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
