// zeros, zeros_like: a tensor of zeros of the given size.
#include "core/messages.h"
#include "rules/factory/factory.h"
#include "rules/sparse/sparse.h"
#include "rules/sparse/sparse_compressed_math.h"
#include "vmap/rule.h"

namespace mt {
namespace {

// Fills below the dispatcher, which would increment the tensor's version: a new tensor must have version 0.
Tensor fill_with_zeros(Tensor t) {
  fill_with(t, 0);
  return t;
}

constexpr auto make_zeros = [](IntList size, std::optional<Dtype> dtype, std::optional<Layout> layout, std::optional<Device> device,
                               std::optional<bool> pin) -> Tensor {
  NewOptions o = new_options(dtype, layout, device, pin, default_dtype());
  if (!o.device.is_meta())
    for (int64_t s : size) check(s >= 0, messages::zeros_negative_size);
  if (layout && is_compressed(*layout)) {
    for (int64_t n : size) check(n >= 0, messages::zeros_negative_size);
    check(size.size() >= 2, "torch.zeros: Only batched sparse compressed (non-block) tensors are supported, but got size {}", size);
    check(!has_blocks(*layout), messages::zeros_sparse_compressed_layout, name_of(*layout));
  }
  if (layout.value_or(Layout::strided) != Layout::strided) return empty_sparse(*layout, size, o.dtype, o.device);
  return fill_with_zeros(empty(size, o.dtype, o.device));
};

constexpr auto make_like = [](const Tensor& self, std::optional<Dtype> dtype, std::optional<Layout> layout, std::optional<Device> device,
                              std::optional<bool> pin, std::optional<MemoryFormat> format) -> Tensor {
  NewOptions o = new_options(dtype, layout, device, pin, self.dtype());
  if (layout.value_or(Layout::strided) != Layout::strided)
    return empty_sparse(*layout, self.sizes(), o.dtype, device ? o.device : self.device());
  return fill_with_zeros(empty_as(self, o.dtype, device ? o.device : self.device(), format));
};

// A sparse tensor of zeros stores no elements; it has the batch dimensions and the numbers of sparse and dense dimensions of `self`.
constexpr auto make_like_sparse = [](const Tensor& self, std::optional<Dtype> dtype, std::optional<Layout> layout,
                                     std::optional<Device> device, std::optional<bool> pin, std::optional<MemoryFormat> format) -> Tensor {
  check(!format, "memory format option is only supported by strided tensors");
  const NewOptions o = new_options(dtype, layout, device.value_or(self.device()), pin, self.dtype());
  if (layout == Layout::strided) return fill_with_zeros(empty(self.sizes(), o.dtype, o.device));
  if (layout && is_compressed(*layout)) return empty_sparse(*layout, self.sizes(), o.dtype, o.device);
  return make_empty_like(self, o.dtype, o.device);
};

MT_OP(OpDef{
    .schema =
        {"zeros(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor"},
    .forms = function | out,
    .doc = R"(Returns a tensor of zeros of the given size.

Args:
    size (int...): sizes, as separate numbers or one tuple.
    dtype (torch.dtype, optional): Default: the default dtype.

Returns:
    Tensor: a tensor of shape `size`; of a sparse `layout` one that stores nothing.

Raises:
    RuntimeError: when a size is negative.

Example:
    >>> torch.zeros(2, 3)
    tensor([[0., 0., 0.],
            [0., 0., 0.]]))",
    .cpu = make_zeros,
    .npu = {any_device},
    .meta = make_zeros,
    .sparse = [](const Call& call) -> Tensor {  // this form has no dtype or device arguments: those of `out` count
      const Tensor& out = Unbox<Tensor>::from(call.args[1]);
      return empty_sparse(Layout::sparse_coo, Unbox<IntList>::from(call.args[0]), out.dtype(), out.device());
    },
});

MT_OP(OpDef{
    .schema = {"zeros_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, "
               "MemoryFormat? memory_format=None) -> Tensor"},
    .forms = function,
    .doc = R"(Returns a tensor of zeros like `self`; of a sparse tensor one that stores nothing.

Args:
    self (Tensor): tensor whose shape, dtype, layout and device are taken.
    dtype (torch.dtype, optional): Default: that of `self`.

Returns:
    Tensor: a new tensor in the shape of `self`.

Example:
    >>> torch.zeros_like(torch.tensor([3, 4]))
    tensor([0, 0]))",
    .cpu = make_like,
    .npu = {any_device},
    .meta = make_like,
    .sparse = make_like_sparse,
    .compressed = [](const Tensor& self, std::optional<Dtype> dtype, std::optional<Layout> layout, std::optional<Device> device,
                     std::optional<bool> pin, std::optional<MemoryFormat>) -> Tensor {
      if (layout && is_compressed(*layout) && *layout != self.layout()) {
        const auto block = block_of(self);
        return op<"_sparse_compressed_tensor_with_dims">(int64_t(0), op<"dense_dim", int64_t>(self), self.sizes(),
                                                         block.value_or(IntList()), components_of(self).plain.dtype(),
                                                         dtype.value_or(self.dtype()), layout, device.value_or(self.device()), pin);
      }
      const NewOptions o = new_options(dtype, layout, device.value_or(self.device()), pin, self.dtype());
      if (layout == Layout::sparse_coo) {
        const int64_t dense = op<"dense_dim", int64_t>(self);
        return op<"_sparse_coo_tensor_with_dims">(self.dim() - dense, dense, self.sizes(), o.dtype, layout, o.device, pin);
      }
      check_same_layout(self, layout);
      return make_empty_like(self, o.dtype, o.device);
    },
    .grad = not_differentiable,
    .batch = batch_leading,
});

}  // namespace
}  // namespace mt
