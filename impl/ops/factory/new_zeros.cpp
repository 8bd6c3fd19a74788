// new_zeros: a tensor of zeros with the dtype and device of `self`.
#include "rules/factory/factory.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto make_new_zeros = [](const Tensor& self, IntList size, std::optional<Dtype> dtype, std::optional<Layout> layout,
                                   std::optional<Device> device, std::optional<bool> pin) -> Tensor {
  if (layout.value_or(Layout::strided) != Layout::strided)
    return op<"zeros">(size, dtype.value_or(self.dtype()), layout, device.value_or(self.device()), pin);
  return filled_as(self, size, 0, dtype, layout, device, pin);
};

// In the layout of `self` unless another is given.
constexpr auto make_sparse_tensor = [](const Tensor& self, IntList size, std::optional<Dtype> dtype, std::optional<Layout> layout,
                                       std::optional<Device> device, std::optional<bool> pin) -> Tensor {
  return op<"zeros">(size, dtype.value_or(self.dtype()), layout.value_or(self.layout()), device.value_or(self.device()), pin);
};

MT_OP(OpDef{
    .schema = {"new_zeros(Tensor self, SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
               "pin_memory=None) -> Tensor"},
    .forms = method,
    .doc = R"(Returns a tensor of zeros of the given size, with the dtype and device of `self`.

Args:
    self (Tensor): tensor whose dtype and device are taken.
    size (int...): sizes, as separate numbers or one tuple.

Returns:
    Tensor: a tensor of shape `size`.

Example:
    >>> torch.ones(1, dtype=torch.int8).new_zeros(2)
    tensor([0, 0], dtype=torch.int8))",
    .cpu = make_new_zeros,
    .npu = {any_device},
    .meta = make_new_zeros,
    .sparse = make_sparse_tensor,
    .compressed = make_sparse_tensor,
    .grad = not_differentiable,
    .batch = batch_sized,
});

}  // namespace
}  // namespace mt
