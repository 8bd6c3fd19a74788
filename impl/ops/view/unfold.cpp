// unfold: a view of all windows of `size`, `step` apart, of a dimension; the windows are a new last dimension.
#include "rules/algebra.h"

namespace mt {
namespace {

constexpr auto windows = [](const Tensor& self, int64_t dimension, int64_t size, int64_t step) -> Tensor {
  int64_t d = wrap_dim(dimension, self.dim());
  int64_t n = self.dim() ? self.size(d) : 1;
  check(size <= n, "maximum size for tensor at dimension {} is {} but size is {}", d, n, size);
  check(size >= 0, "size is {} but must be >= 0", size);
  check(step > 0, "step is {} but must be > 0", step);
  Dims sizes(self.sizes()), strides(self.strides());
  int64_t stride = self.dim() ? self.stride(d) : 1;
  if (self.dim()) {
    sizes[d] = (n - size) / step + 1;
    strides[d] = step * stride;
  }
  sizes.push_back(size);
  strides.push_back(stride);
  return alias(self, sizes, strides, self.storage_offset());
};

MT_OP(OpDef{
    .schema = {"unfold(Tensor(a) self, int dimension, int size, int step) -> Tensor(a)"},
    .forms = method,
    .doc = "A view of all windows of `size`, `step` apart, of a dimension; the windows are a new last dimension.",
    .view = windows,
    .grad = {wrt("self", [](Grad g, MetaOf<"self"> self, In<"dimension", int64_t> d, In<"size", int64_t> size, In<"step", int64_t> step) {
      return op<"unfold_backward">(g, self.sizes, *d, *size, *step);
    })},
});

}  // namespace
}  // namespace mt
