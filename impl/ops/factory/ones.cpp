// ones, ones_like: a tensor of ones of the given size.
#include "core/messages.h"
#include "rules/factory/factory.h"
#include "vmap/rule.h"

namespace mt {
namespace {

// Fills below the dispatcher, which would increment the tensor's version: a new tensor must have version 0.
Tensor fill_with_ones(Tensor t) {
  fill_with(t, 1);
  return t;
}

constexpr auto make_ones = [](IntList size, std::optional<Dtype> dtype, std::optional<Layout> layout, std::optional<Device> device,
                              std::optional<bool> pin) -> Tensor {
  check(layout.value_or(Layout::strided) == Layout::strided, messages::full_of_sparse_layout);
  NewOptions o = new_options(dtype, layout, device, pin, default_dtype());
  return fill_with_ones(empty(size, o.dtype, o.device));
};

constexpr auto make_like = [](const Tensor& self, std::optional<Dtype> dtype, std::optional<Layout> layout, std::optional<Device> device,
                              std::optional<bool> pin, std::optional<MemoryFormat> format) -> Tensor {
  NewOptions o = dense_options(dtype, layout, device, pin, self.dtype());
  return fill_with_ones(empty_as(self, o.dtype, device ? o.device : self.device(), format));
};

MT_OP(OpDef{
    .schema = {"ones(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor"},
    .forms = function | out,
    .doc = R"(Returns a tensor of ones of the given size.

Args:
    size (int...): sizes, as separate numbers or one tuple.
    dtype (torch.dtype, optional): Default: the default dtype.

Returns:
    Tensor: a tensor of shape `size`.

Raises:
    RuntimeError: when a size is negative.

Example:
    >>> torch.ones(2, 3)
    tensor([[1., 1., 1.],
            [1., 1., 1.]]))",
    .cpu = make_ones,
    .npu = {any_device},
    .meta = make_ones,
});

MT_OP(OpDef{
    .schema = {"ones_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, "
               "MemoryFormat? memory_format=None) -> Tensor"},
    .forms = function,
    .doc = R"(Returns a tensor of ones like `self`.

Args:
    self (Tensor): tensor whose shape, dtype, layout and device are taken.
    dtype (torch.dtype, optional): Default: that of `self`.

Returns:
    Tensor: a new tensor in the shape of `self`.

Example:
    >>> torch.ones_like(torch.tensor([3, 4]))
    tensor([1, 1]))",
    .cpu = make_like,
    .npu = {any_device},
    .meta = make_like,
    .compressed = [](const Tensor& self, std::optional<Dtype> dtype, std::optional<Layout> layout, std::optional<Device> device,
                     std::optional<bool> pin, std::optional<MemoryFormat> format) -> Tensor {
      return op<"fill_">(op<"empty_like">(self, dtype, layout, device, pin, format), Scalar(1));
    },
    .grad = not_differentiable,
    .batch = batch_leading,
});

}  // namespace
}  // namespace mt
