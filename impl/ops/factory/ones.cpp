// ones, ones_like: a tensor of ones of the given size.
#include "rules/factory.h"
#include "vmap/rule.h"

namespace mt {
namespace {

// Below the dispatcher: a fresh tensor's version is 0.
Tensor filled(Tensor t) {
  fill_with(t, 1);
  return t;
}

constexpr auto made = [](IntList size, std::optional<Dtype> dtype, std::optional<Layout> layout, std::optional<Device> device,
                         std::optional<bool> pin) -> Tensor {
  check(layout.value_or(Layout::strided) == Layout::strided, "full(...) is not implemented for sparse layout");
  NewOptions o = new_options(dtype, layout, device, pin, default_dtype());
  return filled(empty(size, o.dtype, o.device));
};

constexpr auto made_like = [](const Tensor& self, std::optional<Dtype> dtype, std::optional<Layout> layout, std::optional<Device> device,
                              std::optional<bool> pin, std::optional<MemoryFormat> format) -> Tensor {
  NewOptions o = dense_options(dtype, layout, device, pin, self.dtype());
  return filled(empty_as(self, o.dtype, device ? o.device : self.device(), format));
};

MT_OP(OpDef{
    .schema = {"ones(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor"},
    .forms = function | out,
    .doc = "A tensor of ones of the given size.",
    .cpu = made,
    .npu = {any_device},
    .meta = made,
});

MT_OP(OpDef{
    .schema =
        {"ones_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor"},
    .forms = function,
    .doc = "A tensor of ones with the size, dtype and device of `self`.",
    .cpu = made_like,
    .npu = {any_device},
    .meta = made_like,
    .compressed = [](const Tensor& self, std::optional<Dtype> dtype, std::optional<Layout> layout,
                     std::optional<Device> device, std::optional<bool> pin, std::optional<MemoryFormat> format) -> Tensor {
      return op<"fill_">(op<"empty_like">(self, dtype, layout, device, pin, format), Scalar(1));
    },
    .grad = not_differentiable,
});

MT_BATCH("ones_like", batch_leading);

}  // namespace
}  // namespace mt
