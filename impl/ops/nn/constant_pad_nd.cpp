// constant_pad_nd: pads with `value`; `pad` counts from the last dimension, before and after. Negative values crop.
#include "rules/form/algebra.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto compute_constant_pad_nd = [](const Tensor& self, IntList pad, Scalar value) -> Tensor {
  check(pad.size() % 2 == 0, "Length of pad must be even but instead it equals {}", pad.size());
  check(
      pad.size() / 2 <= self.dim(),
      "Length of pad should be no more than twice the number of dimensions of the input. Pad length is {}while the input has {}dimensions.",
      pad.size(), self.dim());
  Dims sizes(self.sizes());
  Tensor inner = self;
  bool grows = false;
  for (int64_t i = 0; i < pad.size() / 2; ++i) {
    const int64_t d = self.dim() - 1 - i, before = pad[2 * i], after = pad[2 * i + 1];
    if (before < 0) inner = op<"narrow">(inner, d, -before, inner.size(d) + before);
    if (after < 0) inner = op<"narrow">(inner, d, 0, inner.size(d) + after);
    grows = grows || before > 0 || after > 0;
  }
  if (!grows) return op<"clone">(inner);
  for (int64_t i = 0; i < pad.size() / 2; ++i) {
    const int64_t d = self.dim() - 1 - i, before = pad[2 * i], after = pad[2 * i + 1];
    sizes[d] = int64_t(uint64_t(sizes[d]) + uint64_t(before) + uint64_t(after));
    check(sizes[d] >= 0,
          "The input size {}, plus negative padding {} and {} resulted in a negative output size, which is invalid. Check dimension {} of "
          "your input.",
          self.size(d), before, after, d);
  }
  Tensor out = op<"empty.memory_format">(sizes, self.dtype(), nullptr, self.device(), nullptr, self.suggested_memory_format());
  op<"fill_">(out, value);
  Tensor place = out;
  for (int64_t i = 0; i < pad.size() / 2; ++i) {
    const int64_t d = self.dim() - 1 - i;
    place = op<"narrow">(place, d, pad[2 * i] > 0 ? pad[2 * i] : 0, inner.size(d));
  }
  op<"copy_">(place, inner);
  return out;
};

MT_OP(OpDef{
    .schema = {"constant_pad_nd(Tensor self, SymInt[] pad, Scalar value=0) -> Tensor"},
    .forms = function,
    .doc = R"(Adds a border of `value` around the last dimensions.

`pad` counts from the last dimension: ``(left, right)`` of the last, then ``(left, right)`` of the
one before, and so on. Negative numbers cut elements off.

Args:
    self (Tensor): tensor of any shape.
    pad (tuple of int): an even number of widths, at most two for each dimension.
    value (number): elements of the border. Default: ``0``.

Returns:
    Tensor: a new tensor.

Raises:
    RuntimeError: when `pad` has an odd or too large length, or a size would be negative.

Example:
    >>> torch.constant_pad_nd(torch.tensor([1, 2]), (1, -1), 9)
    tensor([9, 1]))",
    .cpu = [](const Tensor& self, IntList pad, Scalar value) -> Tensor {
      BelowAutograd guard;
      return compute_constant_pad_nd(self, pad, value);
    },
    .npu = {"ConstantPadNd"},
    .meta = [](const Tensor& self, IntList pad, Scalar value) -> Tensor {
      BelowAutograd guard;
      return compute_constant_pad_nd(self, pad, value);
    },
    .grad = {wrt("self",
                 [](Grad g, In<"pad", IntList> pad) {
                   Dims back(*pad);
                   for (int64_t& p : back) p = -p;
                   return op<"constant_pad_nd">(g, back, 0);
                 })},
    .batch = batch_leading,
});

}  // namespace
}  // namespace mt
