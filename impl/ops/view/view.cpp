// view: another shape over the same memory.
#include "rules/algebra.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto reshaped = [](const Tensor& self, IntList size) -> Tensor {
  Dims sizes = infer_size(size, self.numel());
  auto strides = view_strides(self.sizes(), self.strides(), sizes);
  check(
      strides.has_value(),
      "view size is not compatible with input tensor's size and stride (at least one dimension spans across two contiguous subspaces). Use "
      ".reshape(...) instead.");
  return alias(self, sizes, *strides, self.storage_offset());
};

MT_OP(OpDef{
    .schema = {"view(Tensor(a) self, SymInt[] size) -> Tensor(a)"},
    .forms = method,
    .doc = "The same elements in another shape, sharing memory; one size may be -1.",
    .view = reshaped,
    .grad = {wrt("self", [](Grad g, MetaOf<"self"> self) { return op<"reshape">(g, self.sizes); })},
});

MT_BATCH("view.", batch_sized);

}  // namespace
}  // namespace mt
