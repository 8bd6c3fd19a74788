// new_zeros: a tensor of zeros with the dtype and device of `self`.
#include "rules/factory.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto made = [](const Tensor& self, IntList size, std::optional<Dtype> dtype, std::optional<Layout> layout,
                         std::optional<Device> device, std::optional<bool> pin) -> Tensor {
  return filled_as(self, size, 0, dtype, layout, device, pin);
};

MT_OP(OpDef{
    .schema =
        {"new_zeros(Tensor self, SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor"},
    .forms = method,
    .doc = "A tensor of zeros with the dtype and device of `self`.",
    .cpu = made,
    .npu = {any_device},
    .meta = made,
    .grad = not_differentiable,
});

MT_BATCH("new_zeros", batch_sized);

}  // namespace
}  // namespace mt
