// new_full: a tensor of `fill_value` with the dtype and device of `self`.
#include "rules/factory.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto made = [](const Tensor& self, IntList size, Scalar value, std::optional<Dtype> dtype, std::optional<Layout> layout,
                         std::optional<Device> device, std::optional<bool> pin) -> Tensor {
  return filled_as(self, size, value, dtype, layout, device, pin);
};

MT_OP(OpDef{
    .schema =
        {"new_full(Tensor self, SymInt[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor"},
    .forms = method,
    .doc = "A tensor of `fill_value` with the dtype and device of `self`.",
    .cpu = made,
    .npu = {any_device},
    .meta = made,
    .grad = not_differentiable,
});

MT_BATCH("new_full", batch_sized);

}  // namespace
}  // namespace mt
