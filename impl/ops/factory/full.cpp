// full, full_like, new_full: a tensor of one number.
#include "rules/factory.h"

namespace mt {
namespace {

constexpr auto made = [](IntList size, Scalar value, std::optional<Dtype> dtype, std::optional<Layout> layout, std::optional<Device> device, std::optional<bool> pin) -> Tensor {
  NewOptions o = new_options(dtype, layout, device, pin, value.natural_dtype());
  Tensor t = empty(size, o.dtype, o.device);
  value.check_fits(o.dtype);
  fill_with(t, value);
  return t;
};

MT_OP(OpDef{
    .schema = {"full(SymInt[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor"},
    .forms = function | out,
    .doc = "A tensor of the given size with every element `fill_value`; the dtype follows from the number.",
    .cpu = made,
    .meta = made,
});
constexpr auto made_like = [](const Tensor& self, Scalar value, std::optional<Dtype> dtype, std::optional<Layout> layout, std::optional<Device> device,
                              std::optional<bool> pin, std::optional<MemoryFormat> format) -> Tensor {
  NewOptions o = new_options(dtype, layout, device, pin, self.dtype());
  Tensor t = empty_as(self, o.dtype, device ? o.device : self.device(), format);
  value.check_fits(o.dtype);
  fill_with(t, value);
  return t;
};

MT_OP(OpDef{
    .schema = {"full_like(Tensor self, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor"},
    .forms = function,
    .doc = "A tensor of `fill_value` with the size, dtype and device of `self`.",
    .cpu = made_like,
    .meta = made_like,
    .grad = not_differentiable,
});
MT_OP(OpDef{
    .schema = {"new_full(Tensor self, SymInt[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor"},
    .forms = method,
    .doc = "A tensor of `fill_value` with the dtype and device of `self`.",
    .composite = [](const Tensor& self, IntList size, Scalar value, std::optional<Dtype> dtype, std::optional<Layout> layout, std::optional<Device> device, std::optional<bool> pin) -> Tensor {
      return op<"full">(size, value, dtype.value_or(self.dtype()), layout, device.value_or(self.device()), pin);
    },
    .grad = not_differentiable,
});

}  // namespace
}  // namespace mt
