// _unsafe_view: view of a new temporary, which autograd need not track as a view.
#include "core/messages.h"
#include "rules/form/algebra.h"
#include "rules/form/reshaped.h"
#include "vmap/rule.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"_unsafe_view(Tensor self, SymInt[] size) -> Tensor"},
    .forms = internal,
    .doc = R"(Returns `self` in another shape over the same memory, for a tensor that nobody else holds.

Matrix products shape their fresh results with it; autograd does not treat the result as a view.)",
    .view = [](const Tensor& self, IntList size) -> Tensor {
      Dims sizes = infer_size(size, self.numel());
      auto strides = view_strides(self.sizes(), self.strides(), sizes);
      check(strides.has_value(), messages::view_size_incompatible);
      return reshaped(self, sizes, *strides, self.storage_offset());
    },
    .grad = {wrt("self", [](Grad g, MetaOf<"self"> self) { return op<"reshape">(g, self.sizes); })},
    .batch = batch_sized,
});

}  // namespace
}  // namespace mt
