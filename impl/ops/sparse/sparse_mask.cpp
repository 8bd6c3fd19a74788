// sparse_mask: the elements of a tensor at the places of a sparse one.
#include "rules/sparse_compressed_math.h"

namespace mt {
namespace {

constexpr auto at_coordinates = [](const Tensor& self, const Tensor& mask) -> Tensor {
  if (self.layout() == Layout::strided && mask.layout() == Layout::sparse_coo) {
    BelowAutograd guard;
    check(self.sizes() == mask.sizes(), "sparse_mask(): operands have incompatible sizes; self has size {} but mask has size {}",
          self.sizes(), mask.sizes());
    Dims rows{product(self.sizes().first(sparse_dim(mask)))};
    for (int64_t d = sparse_dim(mask); d < self.dim(); ++d) rows.push_back(self.size(d));
    const Tensor places = flat_places(parts_of(mask).indices, self.sizes());
    return coo_tensor(op<"clone">(parts_of(mask).indices), op<"index_select">(op<"reshape">(self, IntList(rows)), int64_t(0), places),
                      self.sizes(), parts_of(mask).coalesced);
  }
  return masked_by_compressed(self, mask);
};

MT_OP(OpDef{
    .schema = {"sparse_mask(Tensor self, Tensor mask) -> Tensor"},
    .forms = method,
    .doc = "The elements of `self` at the places of `mask`, in its layout.",
    .sparse = at_coordinates,
    .compressed = [](const Tensor& self, const Tensor& mask) -> Tensor { return masked_by_compressed(self, mask); },
    .grad = {wrt("self", [](Grad g, In<"mask"> mask, MetaOf<"self"> self) {
      const bool is_coalesced = op<"is_coalesced", bool>(mask);
      return in_layout_of(op<"sparse_mask">(g, is_coalesced ? mask : op<"coalesce">(mask)), self);
    })},
});

}  // namespace
}  // namespace mt
