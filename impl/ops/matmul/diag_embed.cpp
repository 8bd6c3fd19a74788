// diag_embed: matrices with the last dimension on a diagonal.
#include "core/messages.h"
#include "rules/form/algebra.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto compute_diag_embed = [](const Tensor& self, int64_t offset, int64_t dim1, int64_t dim2) -> Tensor {
  BelowAutograd guard;
  const int64_t n = self.dim() + 1, a = wrap_dim(dim1, n), b = wrap_dim(dim2, n);
  check(a != b, messages::diagonal_dimensions_cannot_be_identical, dim1, dim2);
  const int64_t size = self.size(-1) + (offset < 0 ? -offset : offset);
  Dims sizes(self.sizes());
  sizes.pop_back();
  sizes.insert(a < b ? a : b, size);
  sizes.insert(a < b ? b : a, size);
  Tensor out = op<"zeros">(sizes, self.dtype(), nullptr, self.device());
  op<"copy_">(op<"diagonal">(out, offset, a, b), self);
  return out;
};

MT_OP(OpDef{
    .schema = {"diag_embed(Tensor self, int offset=0, int dim1=-2, int dim2=-1) -> Tensor"},
    .forms = function | method,
    .doc = R"(Makes matrices with the last dimension of `self` on a diagonal, zeros elsewhere.

Args:
    self (Tensor): ``(*, n)``; any dtype.
    offset (int): which diagonal: 0 the main one, positive ones above it. Default: ``0``.
    dim1, dim2 (int): the dimensions of the rows and the columns in the result. Default: ``-2``
        and ``-1``.

Returns:
    Tensor: ``(*, n + |offset|, n + |offset|)``; a copy.

Raises:
    RuntimeError: when `dim1` equals `dim2`.

Example:
    >>> torch.diag_embed(torch.tensor([1, 2]))
    tensor([[1, 0],
            [0, 2]])
    >>> torch.diag_embed(torch.ones(3, 4)).shape
    torch.Size([3, 4, 4]))",
    .cpu = compute_diag_embed,
    .npu = {any_device},
    .meta = compute_diag_embed,
    .grad = {wrt("self", [](Grad g, In<"offset", int64_t> offset, In<"dim1", int64_t> a,
                            In<"dim2", int64_t> b) { return op<"diagonal">(g, *offset, *a, *b); })},
    .batch = batch_looped,
});

}  // namespace
}  // namespace mt
