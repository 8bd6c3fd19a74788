// full_like: a tensor of `fill_value` with the size, dtype and device of `self`.
#include "rules/factory/factory.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto make_like = [](const Tensor& self, Scalar value, std::optional<Dtype> dtype, std::optional<Layout> layout,
                              std::optional<Device> device, std::optional<bool> pin, std::optional<MemoryFormat> format) -> Tensor {
  NewOptions o = dense_options(dtype, layout, device, pin, self.dtype());
  Tensor t = empty_as(self, o.dtype, device ? o.device : self.device(), format);
  value.check_fits(o.dtype);
  fill_with(t, value);
  return t;
};

MT_OP(OpDef{
    .schema = {"full_like(Tensor self, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
               "pin_memory=None, MemoryFormat? memory_format=None) -> Tensor"},
    .forms = function,
    .doc = R"(Returns a tensor like `self` with every element set to `fill_value`.

Args:
    self (Tensor): tensor whose shape, dtype and device are taken.
    fill_value (number): the value; it must fit the dtype.
    dtype (torch.dtype, optional): Default: that of `self`.

Returns:
    Tensor: a new tensor in the shape of `self`.

Example:
    >>> torch.full_like(torch.zeros(2), 7)
    tensor([7., 7.]))",
    .cpu = make_like,
    .npu = {any_device},
    .meta = make_like,
    .compressed = [](const Tensor& self, const Scalar& value, std::optional<Dtype> dtype, std::optional<Layout> layout,
                     std::optional<Device> device, std::optional<bool> pin, std::optional<MemoryFormat> format) -> Tensor {
      return op<"fill_">(op<"empty_like">(self, dtype, layout, device, pin, format), value);
    },
    .grad = not_differentiable,
    .batch = batch_leading,
});

}  // namespace
}  // namespace mt
