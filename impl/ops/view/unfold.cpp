// unfold: a view of all windows of `size`, `step` apart, of a dimension; the windows are a new last dimension.
#include "rules/form/algebra.h"

namespace mt {
namespace {

constexpr auto compute_unfold = [](const Tensor& self, int64_t dimension, int64_t size, int64_t step) -> Tensor {
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
    .doc = R"(Returns a view of all windows of `size` elements along a dimension, `step` elements apart.

Dimension `dimension` of the result counts the ``(n - size) // step + 1`` windows; a new last
dimension holds the elements of a window. Windows may overlap and then share memory: clone the view
before a write. The gradient adds what all windows bring to an element.
``torch.nn.functional.unfold`` is another function, for images.

Args:
    self (Tensor): tensor of any shape.
    dimension (int): dimension to cut; negative counts from the last.
    size (int): elements in a window; at most the size of the dimension.
    step (int): distance of windows; positive.

Returns:
    Tensor: a view with one dimension more.

Raises:
    RuntimeError: when `size` is negative or too large, or `step` is not positive.

Example:
    >>> torch.arange(5).unfold(0, 3, 2)
    tensor([[0, 1, 2],
            [2, 3, 4]]))",
    .view = compute_unfold,
    .grad = {wrt("self", [](Grad g, MetaOf<"self"> self, In<"dimension", int64_t> d, In<"size", int64_t> size,
                            In<"step", int64_t> step) { return op<"unfold_backward">(g, self.sizes, *d, *size, *step); })},
});

}  // namespace
}  // namespace mt
