// empty_like, new_empty, new_empty_strided: unset tensors after the model of another.
#include "rules/factory.h"

namespace mt {
namespace {

constexpr auto like = [](const Tensor& self, std::optional<Dtype> dtype, std::optional<Layout> layout, std::optional<Device> device, std::optional<bool> pin, std::optional<MemoryFormat> format) -> Tensor {
  NewOptions o = new_options(dtype.value_or(self.dtype()), layout, device.value_or(self.device()), pin, self.dtype());
  return empty_as(self, o.dtype, o.device, format);
};

MT_OP(OpDef{
    .schema = {"empty_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor"},
    .forms = function,
    .doc = "An unset tensor with the size, strides, dtype and device of `self`.",
    .cpu = like,
    .meta = like,
    .grad = not_differentiable,
});
MT_OP(OpDef{
    .schema = {"new_empty(Tensor self, SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor"},
    .forms = method,
    .doc = "An unset tensor with the dtype and device of `self`.",
    .composite = [](const Tensor& self, IntList size, std::optional<Dtype> dtype, std::optional<Layout> layout, std::optional<Device> device, std::optional<bool> pin) -> Tensor {
      return op<"empty">(size, dtype.value_or(self.dtype()), layout, device.value_or(self.device()), pin);
    },
    .grad = not_differentiable,
});
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
