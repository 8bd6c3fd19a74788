// diagonal: a view of a diagonal of two dimensions, as the last dimension.
#include <algorithm>
#include "core/messages.h"
#include "rules/form/algebra.h"

namespace mt {
namespace {

constexpr auto diagonal_of = [](const Tensor& self, int64_t offset, int64_t dim1, int64_t dim2) -> Tensor {
  int64_t a = wrap_dim(dim1, self.dim()), b = wrap_dim(dim2, self.dim());
  check(a != b, messages::diagonal_dimensions_cannot_be_identical, dim1, dim2);
  int64_t rows = self.size(a), columns = self.size(b);
  int64_t n = offset >= 0 ? std::min(rows, columns - offset) : std::min(rows + offset, columns);
  if (n < 0) n = 0;
  int64_t start = self.storage_offset();
  if (n > 0) start += offset >= 0 ? offset * self.stride(b) : -offset * self.stride(a);
  int64_t stride = self.stride(a) + self.stride(b);
  Dims sizes, strides;
  for (int64_t d = 0; d < self.dim(); ++d)
    if (d != a && d != b) sizes.push_back(self.size(d)), strides.push_back(self.stride(d));
  sizes.push_back(n);
  strides.push_back(stride);
  return alias(self, sizes, strides, start);
};

MT_OP(OpDef{
    .schema = {"diagonal(Tensor(a) self, int offset=0, int dim1=0, int dim2=1) -> Tensor(a)"},
    .forms = function | method,
    .doc = R"(Returns a view of a diagonal of two dimensions, as the last dimension of the result.

With `offset` 0 it is the main diagonal, with a positive one a diagonal above it (further along
`dim2`), with a negative one below it. A diagonal that is outside of the matrix is empty.

Args:
    self (Tensor): tensor with at least two dimensions.
    offset (int): which diagonal. Default: ``0``.
    dim1 (int): first dimension (rows); negative counts from the last. Default: ``0``.
    dim2 (int): second dimension (columns). Default: ``1``.

Returns:
    Tensor: a view without `dim1` and `dim2` and with the diagonal as the last dimension.

Raises:
    RuntimeError: when `dim1` and `dim2` are the same dimension.

Example:
    >>> x = torch.arange(9).view(3, 3)
    >>> torch.diagonal(x), torch.diagonal(x, 1)
    (tensor([0, 4, 8]), tensor([1, 5])))",
    .view = diagonal_of,
    .grad = {wrt("self", [](Grad g, MetaOf<"self"> self, In<"offset", int64_t> offset, In<"dim1", int64_t> a,
                            In<"dim2", int64_t> b) { return op<"diagonal_backward">(g, self.sizes, *offset, *a, *b); })},
});

}  // namespace
}  // namespace mt
