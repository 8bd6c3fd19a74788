// unfold: all windows of a dimension.
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
MT_OP(OpDef{
    .schema = {"unfold_backward(Tensor grad_in, SymInt[] input_sizes, int dim, int size, int step) -> Tensor"},
    .forms = function,
    .doc = "Adds each window's gradient back to the elements that it showed.",
    .composite = [](const Tensor& grad, IntList sizes, int64_t dim, int64_t size, int64_t step) -> Tensor {
      int64_t d = wrap_dim(dim, sizes.size());
      Tensor index = op<"unfold">(op<"arange">(sizes.size() ? sizes[d] : 1, Dtype::int64, nullptr, grad.device()), 0, size, step);
      Tensor moved = op<"movedim">(grad, -1, d + 1);
      Tensor flat = op<"flatten">(moved, d, d + 1);
      Tensor zeros = op<"zeros">(sizes, grad.dtype(), nullptr, grad.device());
      return op<"index_add">(zeros, d, op<"reshape">(index, IntList{-1}), flat);
    },
});

}  // namespace
}  // namespace mt
