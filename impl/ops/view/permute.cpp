// permute: dimensions in another order.
#include "rules/algebra.h"
#include "rules/sparse_shape.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto permuted = [](const Tensor& self, IntList dims) -> Tensor {
  check(
      dims.size() == self.dim(),
      "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired ordering of dimensions i.e. input.dim() = {} is not equal to len(dims) = {}",
      self.dim(), dims.size());
  Dims sizes(self.dim()), strides(self.dim()), seen(self.dim(), 0);
  for (int64_t i = 0; i < dims.size(); ++i) {
    int64_t d = wrap_dim(dims[i], self.dim());
    check(!seen[d], "permute(): duplicate dims are not allowed.");
    seen[d] = 1;
    sizes[i] = self.size(d);
    strides[i] = self.stride(d);
  }
  return alias(self, sizes, strides, self.storage_offset());
};
Dims inverse(IntList dims) {
  Dims out(dims.size());
  for (int64_t i = 0; i < dims.size(); ++i) out[dims[i] < 0 ? dims[i] + dims.size() : dims[i]] = i;
  return out;
}

MT_OP(OpDef{
    .schema = {"permute(Tensor(a) self, int[] dims) -> Tensor(a)"},
    .forms = function | method,
    .doc = "A view with the dimensions in the given order.",
    .view = permuted,
    .sparse = [](const Tensor& self, IntList dims) -> Tensor { return sparse_permute(self, dims); },
    .grad = {wrt("self", [](Grad g, In<"dims", IntList> dims) { return op<"permute">(g, inverse(*dims)); })},
});

void permuted_slices(const BatchCall& c) {
  const int64_t rank = c.tensor(0).dim();
  Dims dims{0};
  for (int64_t d : c.ints(1)) dims.push_back(wrap_dim(d, rank) + 1);
  c.give(0, op<"permute">(c.front(0), dims));
}
MT_BATCH("permute", permuted_slices);

}  // namespace
}  // namespace mt
