// values: the stored elements of a sparse tensor.
#include "rules/sparse.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"values(Tensor(a) self) -> Tensor(a)"},
    .forms = method,
    .doc = "The stored elements: elements x dense dimensions of a coalesced tensor of coordinates; batch x elements (x block) x dense "
           "dimensions of a compressed one.",
    .sparse = [](const Tensor& self) -> Tensor {
      check(parts_of(self).coalesced, "Cannot get values on an uncoalesced tensor, please call .coalesce() first");
      return alias(parts_of(self).values, true);
    },
    .compressed = [](const Tensor& self) -> Tensor { return alias(parts_of(self).values, true); },
    .grad = {wrt("self", [](Grad g, In<"self"> self) {
      if (self.layout() != Layout::sparse_coo) return with_values(self, g);
      return op<"_sparse_coo_tensor_unsafe">(op<"_indices">(self), g, self.sizes(), nullptr, nullptr, nullptr, nullptr, true);
    })},
});

}  // namespace
}  // namespace mt
