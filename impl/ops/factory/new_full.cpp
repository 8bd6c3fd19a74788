// new_full: a tensor of `fill_value` with the dtype and device of `self`.
#include "rules/factory/factory.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto make_new_full = [](const Tensor& self, IntList size, Scalar value, std::optional<Dtype> dtype, std::optional<Layout> layout,
                                  std::optional<Device> device,
                                  std::optional<bool> pin) -> Tensor { return filled_as(self, size, value, dtype, layout, device, pin); };

MT_OP(OpDef{
    .schema = {"new_full(Tensor self, SymInt[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? "
               "device=None, bool? pin_memory=None) -> Tensor"},
    .forms = method,
    .doc = R"(Returns a tensor of the given size filled with `fill_value`, with the dtype and device of `self`.

Args:
    self (Tensor): tensor whose dtype and device are taken.
    size (tuple of int): sizes.
    fill_value (number): the value.

Returns:
    Tensor: a tensor of shape `size`.

Example:
    >>> torch.zeros(1).new_full((2,), 3)
    tensor([3., 3.]))",
    .cpu = make_new_full,
    .npu = {any_device},
    .meta = make_new_full,
    .grad = not_differentiable,
    .batch = batch_sized,
});

}  // namespace
}  // namespace mt
