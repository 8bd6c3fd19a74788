// new_empty: an unset tensor with the dtype and device of `self`.
#include "rules/factory/factory.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto make_new_empty = [](const Tensor& self, IntList size, std::optional<Dtype> dtype, std::optional<Layout> layout,
                                   std::optional<Device> device, std::optional<bool> pin) -> Tensor {
  return op<"empty">(size, dtype.value_or(self.dtype()), layout, device.value_or(self.device()), pin);
};

// In the layout of `self` unless another is given.
constexpr auto make_sparse_tensor = [](const Tensor& self, IntList size, std::optional<Dtype> dtype, std::optional<Layout> layout,
                                       std::optional<Device> device, std::optional<bool> pin) -> Tensor {
  return op<"empty">(size, dtype.value_or(self.dtype()), layout.value_or(self.layout()), device.value_or(self.device()), pin);
};

MT_OP(OpDef{
    .schema = {"new_empty(Tensor self, SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
               "pin_memory=None) -> Tensor"},
    .forms = method,
    .doc = R"(Returns a tensor of the given size, with the dtype and device of `self`; elements are not set.

Args:
    self (Tensor): tensor whose dtype and device are taken.
    size (int...): sizes, as separate numbers or one tuple.

Returns:
    Tensor: a tensor of shape `size`.

Example:
    >>> torch.zeros(1, dtype=torch.int8).new_empty(2, 3).dtype
    torch.int8)",
    .cpu = make_new_empty,
    .npu = {any_device},
    .meta = make_new_empty,
    .sparse = make_sparse_tensor,
    .compressed = make_sparse_tensor,
    .grad = not_differentiable,
    .batch = batch_sized,
});

}  // namespace
}  // namespace mt
