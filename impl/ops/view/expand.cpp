// expand: dimensions of size 1 repeated without copying.
#include "core/messages.h"
#include "rules/form/algebra.h"
#include "rules/form/type_text.h"
#include "rules/sparse/sparse.h"
#include "vmap/rule.h"

namespace mt {
namespace {

void check_rank(const Tensor& self, IntList size) {
  if (size.size() < self.dim())
    fail(
        "expand({}{}{}{}, size={}): the number of sizes provided ({}) must be greater or equal to the number of dimensions in the tensor "
        "({})",
        tensor_type_text(self), "{", self.sizes(), "}", size, size.size(), self.dim());
}

constexpr auto compute_expand = [](const Tensor& self, IntList size, bool) -> Tensor {
  check_rank(self, size);
  int64_t ndim = size.size(), offset = ndim - self.dim();
  Dims sizes(ndim), strides(ndim);
  for (int64_t i = ndim - 1; i >= 0; --i) {
    int64_t d = i - offset;
    int64_t old = d >= 0 ? self.size(d) : 1;
    int64_t stride = d >= 0 ? self.stride(d) : self.dim() > 0 ? sizes[i + 1] * strides[i + 1] : 0;
    int64_t wanted = size[i];
    if (wanted == -1) {
      check(d >= 0, "The expanded size of the tensor ({}) isn't allowed in a leading, non-existing dimension {}", wanted, i);
      wanted = old;
    }
    if (old != wanted) {
      check(old == 1, messages::expanded_size_mismatch, wanted, old, i, size, self.sizes());
      stride = 0;
    }
    sizes[i] = wanted;
    strides[i] = stride;
  }
  return alias(self, sizes, strides, self.storage_offset());
};

void batch_expand(const BatchCall& c) {
  Dims sizes{c.size};
  for (int64_t s : c.ints(1)) sizes.push_back(s);
  const int64_t rank = sizes.size() - 1;
  const int64_t own = c.tensor(0).dim();
  check(rank >= own,
        "expand(BatchedTensor, size={}): the number of sizes provided ({}) must be greater or equal to the number of dimensions in the "
        "tensor ({})",
        c.ints(1), rank, own);
  c.set_result(0, op<"expand">(c.padded(c.tensor(0), rank), sizes, c.args[2]));
}

MT_OP(OpDef{
    .schema = {"expand(Tensor(a) self, SymInt[] size, *, bool implicit=False) -> Tensor(a)"},
    .forms = method,
    .doc = R"(Returns a view in which dimensions of size 1 are repeated to larger sizes, without a copy.

`size` may have more dimensions than `self`; the new ones come first. A repeated dimension has
stride 0, so its elements share memory: clone the view before a write. The gradient is the sum over
what was repeated.

Args:
    self (Tensor): tensor to expand.
    size (int...): wanted sizes, as separate numbers or one tuple; -1 keeps the size of an existing
        dimension.
    implicit (bool): has no effect. Default: ``False``.

Returns:
    Tensor: a view of shape `size`.

Raises:
    RuntimeError: when a dimension is neither 1 nor the wanted size, when -1 stands for a new
        dimension, or when `size` has fewer dimensions than `self`.

Example:
    >>> x = torch.tensor([[1], [2]])
    >>> x.expand(-1, 3)
    tensor([[1, 1, 1],
            [2, 2, 2]])
    >>> x.expand(4, 2, 3).stride()
    (0, 1, 0))",
    .view = compute_expand,
    .sparse = [](const Tensor& self, IntList size, bool) -> Tensor {
      check_rank(self, size);
      fail(messages::expand_of_sparse);
    },
    .compressed = [](const Tensor& self, IntList, bool) -> Tensor { fail(messages::expand_of_layout, name_of(self.layout())); },
    .grad = {wrt("self", [](Grad g, MetaOf<"self"> self) { return op<"sum_to_size">(g, self.sizes); })},
    .batch = batch_expand,
});

}  // namespace
}  // namespace mt
