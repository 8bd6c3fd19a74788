// flip: a copy with the given dimensions reversed.
#include "core/messages.h"
#include "rules/factory/factory.h"

namespace mt {
namespace {

constexpr auto compute_flip = [](const Tensor& self, IntList dims) -> Tensor {
  Dims seen(self.dim() ? self.dim() : 1, 0);
  for (int64_t d : dims) {
    const int64_t w = wrap_dim(d, self.dim());
    check(!seen[w], messages::dim_appears_multiple_times, w);
    seen[w] = 1;
  }
  Tensor out = empty_as(self, self.dtype(), self.device(), std::nullopt);
  if (out.is_meta() || out.numel() == 0) return out;
  // Reads the source backwards through a hand-made view with negative strides; the target's strides decide the order.
  Dims strides(self.strides());
  int64_t offset = self.storage_offset();
  for (int64_t d = 0; d < self.dim(); ++d) {
    if (!seen[d]) continue;
    offset += (self.size(d) - 1) * strides[d];
    strides[d] = -strides[d];
  }
  copy_into(out, alias(self, self.sizes(), strides, offset, false));
  return out;
};

MT_OP(OpDef{
    .schema = {"flip(Tensor self, int[] dims) -> Tensor"},
    .forms = function | method,
    .doc = R"(Returns a copy with the given dimensions reversed.

It always copies: a view would need negative strides.

Args:
    self (Tensor): tensor of any shape.
    dims (tuple of int): dimensions to reverse, each once; negative ones count from the last.

Returns:
    Tensor: a new tensor with the shape of `self`.

Raises:
    RuntimeError: when a dimension is repeated.

Example:
    >>> torch.flip(torch.tensor([[1, 2], [3, 4]]), (0, 1))
    tensor([[4, 3],
            [2, 1]]))",
    .cpu = compute_flip,
    .npu = {"Flip"},
    .meta = compute_flip,
    .grad = {wrt("self", [](Grad g, In<"dims", IntList> dims) { return op<"flip">(g, *dims); })},
});

}  // namespace
}  // namespace mt
