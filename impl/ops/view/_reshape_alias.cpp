// _reshape_alias: the view that reshape found for a tensor with gaps or in another memory order.
#include "core/messages.h"
#include "rules/form/algebra.h"
#include "rules/form/reshaped.h"
#include "vmap/rule.h"

namespace mt {
namespace {

// Computes the view's strides again if possible: a forward-mode tangent may have other strides than the tensor for which `stride` was
// computed.
constexpr auto reshape_tensor = [](const Tensor& self, IntList size, IntList stride) -> Tensor {
  const Dims strides = view_strides(self.sizes(), self.strides(), size).value_or(Dims(stride));
  const Storage& storage = *self->storage;
  const int64_t needed = needed_bytes(size, strides, self.storage_offset(), self.itemsize());
  check(needed <= storage.nbytes || is_shrunk(storage), messages::set_storage_out_of_bounds, size, strides, self.storage_offset(),
        self.itemsize(), needed, storage.nbytes);
  return reshaped(self, size, strides, self.storage_offset());
};

void batch_reshape_alias(const BatchCall& c) {
  Dims sizes{c.size};
  for (int64_t s : c.ints(1)) sizes.push_back(s);
  c.set_result(0, op<"reshape">(c.front(0), sizes));
}

MT_OP(OpDef{
    .schema = {"_reshape_alias(Tensor(a) self, SymInt[] size, SymInt[] stride) -> Tensor(a)"},
    .forms = internal,
    .doc = R"(Returns a view with a shape and strides that are known to show the same elements.

``reshape`` calls it where a view exists.)",
    .view = reshape_tensor,
    .grad = {wrt("self", [](Grad g, MetaOf<"self"> self) { return op<"reshape">(g, self.sizes); })},
    .batch = batch_reshape_alias,
});

}  // namespace
}  // namespace mt
