// empty_like: an unset tensor with the size, strides, dtype and device of `self`.
#include "rules/factory/factory.h"
#include "rules/form/determinism.h"
#include "rules/sparse/sparse_compressed_math.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto make_empty_like = [](const Tensor& self, std::optional<Dtype> dtype, std::optional<Layout> layout,
                                    std::optional<Device> device, std::optional<bool> pin, std::optional<MemoryFormat> format) -> Tensor {
  NewOptions o = dense_options(dtype.value_or(self.dtype()), layout, device.value_or(self.device()), pin, self.dtype());
  return fill_new_memory(empty_as(self, o.dtype, o.device, format));
};

MT_OP(OpDef{
    .schema = {"empty_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, "
               "MemoryFormat? memory_format=None) -> Tensor"},
    .forms = function,
    .doc = R"(Returns a tensor like `self` whose elements are not set.

With the default memory format the strides follow those of `self` where it is dense and without
overlaps.

Args:
    self (Tensor): tensor whose shape, dtype, layout and device are taken.
    dtype (torch.dtype, optional): Default: that of `self`.

Returns:
    Tensor: a tensor in the shape of `self`.

Example:
    >>> torch.empty_like(torch.zeros(2, 3).t()).stride()
    (1, 3))",
    .cpu = make_empty_like,
    .npu = {any_device},
    .meta = make_empty_like,
    .sparse = [](const Tensor& self, std::optional<Dtype> dtype, std::optional<Layout> layout, std::optional<Device> device,
                 std::optional<bool> pin, std::optional<MemoryFormat> format) -> Tensor {
      if (layout == Layout::strided)
        return op<"empty">(self.sizes(), dtype.value_or(self.dtype()), layout, device.value_or(self.device()), pin);
      return op<"zeros_like">(self, dtype, layout, device, pin, format);
    },
    .compressed = [](const Tensor& self, std::optional<Dtype> dtype, std::optional<Layout> layout, std::optional<Device> device,
                     std::optional<bool> pin, std::optional<MemoryFormat>) -> Tensor {
      check_same_layout(self, layout);
      const NewOptions o = new_options(dtype, layout, device.value_or(self.device()), pin, self.dtype());
      BelowAutograd guard;
      SparseComponents parts = components_of(self);
      for (Tensor* part : {&parts.indices, &parts.plain})
        *part = op<"to.device">(*part, o.device, part->dtype(), /*non_blocking=*/false, /*copy=*/true);
      parts.values = empty(parts.values.sizes(), o.dtype, o.device);
      return make_sparse(self.sizes(), std::move(parts));
    },
    .grad = not_differentiable,
    .batch = batch_leading,
});

}  // namespace
}  // namespace mt
