// flatten: merges dimensions start_dim to end_dim.
#include "rules/form/algebra.h"

namespace mt {
namespace {

constexpr auto flatten_tensor = [](const Tensor& self, int64_t start_dim, int64_t end_dim) -> Tensor {
  int64_t start = wrap_dim(start_dim, self.dim()), end = wrap_dim(end_dim, self.dim());
  check(start <= end, "flatten() has invalid args: start_dim cannot come after end_dim");
  if (self.dim() == 0) return op<"reshape">(self, IntList{1});
  if (start == end) return self;
  Dims sizes;
  for (int64_t d = 0; d < self.dim(); ++d) {
    if (d > start && d <= end)
      sizes.back() *= self.size(d);
    else
      sizes.push_back(self.size(d));
  }
  return op<"reshape">(self, sizes);
};

MT_OP(OpDef{
    .schema = {"flatten.using_ints(Tensor(a) self, int start_dim=0, int end_dim=-1) -> Tensor(a)"},
    .forms = function | method,
    .doc = R"(Makes the dimensions from `start_dim` to `end_dim` (inclusive) one dimension.

The result is `self` itself where nothing changes, a view where the strides allow it, and otherwise
a copy. A tensor without dimensions becomes a vector of one element.

Args:
    self (Tensor): tensor of any shape.
    start_dim (int): first dimension to join; negative counts from the last. Default: ``0``.
    end_dim (int): last dimension to join. Default: ``-1``.

Returns:
    Tensor: the same elements in the same order.

Raises:
    RuntimeError: when `start_dim` comes after `end_dim`.
    IndexError: when one of them is out of range.

Example:
    >>> x = torch.arange(24).view(2, 3, 4)
    >>> torch.flatten(x).shape, torch.flatten(x, 1).shape
    (torch.Size([24]), torch.Size([2, 12])))",
    .composite = flatten_tensor,
});

}  // namespace
}  // namespace mt
