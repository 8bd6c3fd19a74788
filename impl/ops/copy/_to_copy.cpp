// _to_copy: a copy with another dtype, device or memory format.
#include <cstring>

#include "core/backend.h"
#include "core/messages.h"
#include "rules/factory/factory.h"
#include "rules/pointwise/conversion.h"
#include "rules/sparse/sparse.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto convert_dense = [](const Tensor& self, std::optional<Dtype> dtype, std::optional<Layout> layout,
                                  std::optional<Device> device, std::optional<bool> pin, bool non_blocking,
                                  std::optional<MemoryFormat> format) -> Tensor {
  NewOptions o = new_options(dtype.value_or(self.dtype()), layout, device.value_or(self.device()), pin, self.dtype());
  check(!self.is_meta() || o.device.is_meta(), ErrorKind::not_implemented, messages::copy_out_of_meta_tensor);
  warn_of_discarded_parts(o.dtype, self.dtype());
  Tensor out = empty_as(self, o.dtype, o.device, format);
  if (out.is_meta()) return out;
  if (out.device() == self.device())
    copy_into(out, self);
  else
    copy_between_devices(out, self, non_blocking);
  return out;
};

// A sparse tensor with its components moved and its values converted.
constexpr auto convert_sparse = [](const Tensor& self, std::optional<Dtype> dtype, std::optional<Layout> layout,
                                   std::optional<Device> device, std::optional<bool> pin, bool non_blocking,
                                   std::optional<MemoryFormat> format) -> Tensor {
  const NewOptions o = new_options(dtype.value_or(self.dtype()), layout, device.value_or(self.device()), pin, self.dtype());
  check(!layout || *layout == self.layout(), messages::to_cannot_change_layout, name_of(self.layout()),
        name_of(layout.value_or(Layout::strided)));
  check(!format || *format == MemoryFormat::preserve, "to(options): {} only supports memory format Preserve, but got {} instead.",
        self.layout() == Layout::sparse_coo ? "COO" : name_of(self.layout()) + std::strlen("Sparse"), name_of(*format));
  if (o.device.is_meta()) return make_empty_like(self, o.dtype, o.device);
  BelowAutograd guard;
  return make_sparse(self.sizes(), map_components(self, [&](const Tensor& part) {
                       const Dtype to = part.get() == components_of(self).values.get() ? o.dtype : part.dtype();
                       return op<"to.device">(part, o.device, to, non_blocking, /*copy=*/true);
                     }));
};

MT_OP(OpDef{
    .schema = {"_to_copy(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, bool "
               "non_blocking=False, MemoryFormat? memory_format=None) -> Tensor"},
    .forms = internal,
    .doc = "Returns a copy with another dtype, device or memory format; ``Tensor.to`` calls it.",
    .cpu = convert_dense,
    .npu = {any_device},
    .meta = convert_dense,
    .sparse = convert_sparse,
    .compressed = convert_sparse,
    .grad = {wrt("self",
                 [](Grad g, MetaOf<"self"> self) {
                   Tensor kept = g;
                   if (is_complex(kept.dtype()) && !is_complex(self.dtype)) kept = op<"real">(kept);
                   return op<"to.dtype_layout">(kept, self.dtype, nullptr, self.device);
                 })},
    .grad_name = "ToCopyBackward0",
    .batch = batch_leading,
});

}  // namespace
}  // namespace mt
