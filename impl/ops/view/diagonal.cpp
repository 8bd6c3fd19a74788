// diagonal: a view of a diagonal of two dimensions, as the last dimension.
#include "rules/algebra.h"
#include <algorithm>

namespace mt {
namespace {

constexpr auto diagonal_of = [](const Tensor& self, int64_t offset, int64_t dim1, int64_t dim2) -> Tensor {
  int64_t a = wrap_dim(dim1, self.dim()), b = wrap_dim(dim2, self.dim());
  check(a != b, "diagonal dimensions cannot be identical {}, {}", dim1, dim2);
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
    .doc = "A view of a diagonal of two dimensions, as the last dimension.",
    .view = diagonal_of,
    .grad = {wrt("self", [](Grad g, MetaOf<"self"> self, In<"offset", int64_t> offset, In<"dim1", int64_t> a, In<"dim2", int64_t> b) {
      return op<"diagonal_backward">(g, self.sizes, *offset, *a, *b);
    })},
});

}  // namespace
}  // namespace mt
