// new_empty_strided: an unset tensor with the given strides and the dtype and device of `self`.
#include "rules/factory.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"new_empty_strided(Tensor self, SymInt[] size, SymInt[] stride, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor"},
    .forms = method,
    .doc = "An unset tensor with the given strides and the dtype and device of `self`.",
    .composite = [](const Tensor& self, IntList size, IntList stride, std::optional<Dtype> dtype, std::optional<Layout> layout, std::optional<Device> device, std::optional<bool> pin) -> Tensor {
      return op<"empty_strided">(size, stride, dtype.value_or(self.dtype()), layout, device.value_or(self.device()), pin);
    },
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
