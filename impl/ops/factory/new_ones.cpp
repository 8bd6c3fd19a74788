// new_ones: a tensor of ones with the dtype and device of `self`.
#include "rules/factory/factory.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto make_new_ones = [](const Tensor& self, IntList size, std::optional<Dtype> dtype, std::optional<Layout> layout,
                                  std::optional<Device> device,
                                  std::optional<bool> pin) -> Tensor { return filled_as(self, size, 1, dtype, layout, device, pin); };

MT_OP(OpDef{
    .schema = {"new_ones(Tensor self, SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
               "pin_memory=None) -> Tensor"},
    .forms = method,
    .doc = R"(Returns a tensor of ones of the given size, with the dtype and device of `self`.

Args:
    self (Tensor): tensor whose dtype and device are taken.
    size (int...): sizes, as separate numbers or one tuple.

Returns:
    Tensor: a tensor of shape `size`.

Example:
    >>> torch.zeros(1, dtype=torch.int8).new_ones(2)
    tensor([1, 1], dtype=torch.int8))",
    .cpu = make_new_ones,
    .npu = {any_device},
    .meta = make_new_ones,
    .grad = not_differentiable,
    .batch = batch_sized,
});

}  // namespace
}  // namespace mt
