// to: the tensor itself if it has the requested dtype and device, otherwise a copy that does.
#include "core/backend.h"
#include "core/messages.h"
#include "rules/factory/factory.h"

namespace mt {
namespace {

constexpr auto convert_by_options = [](const Tensor& self, std::optional<Dtype> dtype, std::optional<Layout> layout,
                                       std::optional<Device> device, std::optional<bool> pin, bool non_blocking, bool copy,
                                       std::optional<MemoryFormat> format) -> Tensor {
  check(layout.value_or(self.layout()) == self.layout(), messages::to_cannot_change_layout, name_of(self.layout()),
        name_of(layout.value_or(self.layout())));
  Dtype d = dtype.value_or(self.dtype());
  const Device where = device.value_or(self.device());
  // A CPU or meta tensor has no index, so it is not on cpu:0.
  const bool same_device = where == self.device() || (where.index < 0 && complete_device(where) == self.device());
  MemoryFormat f = format.value_or(MemoryFormat::preserve);
  bool same = d == self.dtype() && same_device && (f == MemoryFormat::preserve || self.suggested_memory_format() == f);
  if (same && !copy) return self;
  return op<"_to_copy">(self, d, layout, where, pin, non_blocking, format);
};

constexpr auto convert_to_dtype = [](const Tensor& self, Dtype dtype, bool non_blocking, bool copy,
                                     std::optional<MemoryFormat> format) -> Tensor {
  return convert_by_options(self, dtype, {}, {}, {}, non_blocking, copy, format);
};

constexpr auto convert_to_device = [](const Tensor& self, Device device, Dtype dtype, bool non_blocking, bool copy,
                                      std::optional<MemoryFormat> format) -> Tensor {
  return convert_by_options(self, dtype, {}, device, {}, non_blocking, copy, format);
};

constexpr auto convert_like_other = [](const Tensor& self, const Tensor& other, bool non_blocking, bool copy,
                                       std::optional<MemoryFormat> format) -> Tensor {
  return convert_by_options(self, other.dtype(), other.layout(), other.device(), {}, non_blocking, copy, format);
};

MT_OP(OpDef{
    .schema =
        {"to.dtype_layout(Tensor(a) self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, bool "
         "non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> Tensor(a)",
         "to.device(Tensor(a) self, Device device, ScalarType dtype, bool non_blocking=False, bool copy=False, MemoryFormat? "
         "memory_format=None) -> Tensor(a)",
         "to.dtype(Tensor(a) self, ScalarType dtype, bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> "
         "Tensor(a)",
         "to.other(Tensor(a) self, Tensor other, bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> Tensor(a)"},
    .doc = R"(Returns `self` where it has the dtype and device asked for, otherwise a copy that has.

The arguments are a dtype, a device, both, or another tensor whose dtype and device are taken. With
`copy` the result is always a copy. The gradient comes back in the dtype and device of `self`.

Args:
    self (Tensor): tensor to convert.
    dtype (torch.dtype, optional): the wanted dtype.
    device (torch.device, optional): the wanted device.
    other (Tensor): instead, a tensor whose dtype and device are taken.
    copy (bool): whether to copy in any case. Default: ``False``.

Returns:
    Tensor: `self` or a new tensor.

Example:
    >>> torch.tensor([1.5, -1.5]).to(torch.int32)
    tensor([ 1, -1], dtype=torch.int32))",
    .composite = convert_by_options,
    .overloads = {overload("device", {.composite = convert_to_device}), overload("dtype", {.composite = convert_to_dtype}),
                  overload("other", {.composite = convert_like_other})},
});

}  // namespace
}  // namespace mt
