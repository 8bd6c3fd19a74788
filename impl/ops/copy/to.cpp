// to and _to_copy: another dtype, device or memory format.
#include "rules/factory.h"

namespace mt {
namespace {

constexpr auto converted = [](const Tensor& self, std::optional<Dtype> dtype, std::optional<Layout> layout, std::optional<Device> device, std::optional<bool> pin, bool, std::optional<MemoryFormat> format) -> Tensor {
  NewOptions o = new_options(dtype.value_or(self.dtype()), layout, device.value_or(self.device()), pin, self.dtype());
  check(!self.is_meta() || o.device.is_meta(), ErrorKind::not_implemented, "Cannot copy out of meta tensor; no data!");
  Tensor out = empty_as(self, o.dtype, o.device, format);
  if (!out.is_meta()) copy_into(out, self);
  return out;
};

MT_OP(OpDef{
    .schema = {"_to_copy(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, bool non_blocking=False, MemoryFormat? memory_format=None) -> Tensor"},
    .forms = function,
    .doc = "A copy with another dtype, device or memory format.",
    .cpu = converted,
    .meta = converted,
    .grad = {wrt("self", [](Grad g, MetaOf<"self"> self) { return op<"to.dtype_layout">(g, self.dtype, nullptr, self.device); })},
    .grad_name = "ToCopyBackward0",
});

constexpr auto moved = [](const Tensor& self, std::optional<Dtype> dtype, std::optional<Layout> layout, std::optional<Device> device, std::optional<bool> pin, bool non_blocking, bool copy, std::optional<MemoryFormat> format) -> Tensor {
  Dtype d = dtype.value_or(self.dtype());
  Device where = device.value_or(self.device());
  if (where.is_cpu() || where.is_meta()) where.index = -1;
  MemoryFormat f = format.value_or(MemoryFormat::preserve);
  bool same = d == self.dtype() && where == self.device() && (f == MemoryFormat::preserve || self.suggested_memory_format() == f);
  if (same && !copy) return self;
  return op<"_to_copy">(self, d, layout, where, pin, non_blocking, format);
};
constexpr auto to_dtype = [](const Tensor& self, Dtype dtype, bool non_blocking, bool copy, std::optional<MemoryFormat> format) -> Tensor {
  return moved(self, dtype, {}, {}, {}, non_blocking, copy, format);
};
constexpr auto to_device = [](const Tensor& self, Device device, Dtype dtype, bool non_blocking, bool copy,
                              std::optional<MemoryFormat> format) -> Tensor {
  return moved(self, dtype, {}, device, {}, non_blocking, copy, format);
};
constexpr auto to_other = [](const Tensor& self, const Tensor& other, bool non_blocking, bool copy, std::optional<MemoryFormat> format) -> Tensor {
  return moved(self, other.dtype(), {}, other.device(), {}, non_blocking, copy, format);
};

MT_OP(OpDef{
    .schema = {"to.dtype_layout(Tensor(a) self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> Tensor(a)",
               "to.device(Tensor(a) self, Device device, ScalarType dtype, bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> Tensor(a)",
               "to.dtype(Tensor(a) self, ScalarType dtype, bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> Tensor(a)",
               "to.other(Tensor(a) self, Tensor other, bool non_blocking=False, bool copy=False, MemoryFormat? memory_format=None) -> Tensor(a)"},
    .doc = "The tensor itself where it has the dtype and device asked for, otherwise a copy that has.",
    .composite = moved,
    .overloads = {overload("device", {.composite = to_device}), overload("dtype", {.composite = to_dtype}),
                  overload("other", {.composite = to_other})},
});
MT_OP(OpDef{
    .schema = {"type_as(Tensor self, Tensor other) -> Tensor"},
    .forms = method,
    .doc = "`self` in the dtype and device of `other`.",
    .composite = [](const Tensor& self, const Tensor& other) -> Tensor { return op<"to.other">(self, other); },
});

}  // namespace
}  // namespace mt
