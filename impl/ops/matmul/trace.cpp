// trace, diag, diag_embed, diagflat, kron: diagonals and products of matrices.
#include <algorithm>
#include "rules/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"trace(Tensor self) -> Tensor"},
    .forms = function | method,
    .doc = "The sum of a matrix's diagonal.",
    .composite = [](const Tensor& self) -> Tensor {
      check(self.dim() == 2, "trace: expected a matrix, but got tensor with dim {}", self.dim());
      return op<"sum">(op<"diagonal">(self));
    },
});
constexpr auto embedded = [](const Tensor& self, int64_t offset, int64_t dim1, int64_t dim2) -> Tensor {
  const int64_t n = self.dim() + 1, a = wrap_dim(dim1, n), b = wrap_dim(dim2, n);
  check(a != b, "diagonal dimensions cannot be identical {}, {}", dim1, dim2);
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
    .doc = "Matrices with the last dimension on a diagonal.",
    .composite = embedded,
});
MT_OP(OpDef{
    .schema = {"diag(Tensor self, int diagonal=0) -> Tensor"},
    .forms = function | method | out,
    .doc = "A matrix with the vector on a diagonal, or a matrix's diagonal as a vector.",
    .composite = [](const Tensor& self, int64_t k) -> Tensor {
      check(self.dim() == 1 || self.dim() == 2, "diag(): Supports 1D or 2D tensors. Got {}D", self.dim());
      return self.dim() == 1 ? op<"diag_embed">(self, k) : op<"clone">(op<"diagonal">(self, k));
    },
});
MT_OP(OpDef{
    .schema = {"diagflat(Tensor self, int offset=0) -> Tensor"},
    .forms = function | method,
    .doc = "A matrix with all elements on a diagonal.",
    .composite = [](const Tensor& self, int64_t k) -> Tensor { return op<"diag">(op<"view">(op<"contiguous">(self), IntList{-1}), k); },
});
MT_OP(OpDef{
    .schema = {"kron(Tensor self, Tensor other) -> Tensor"},
    .forms = function | method | out,
    .doc = "The Kronecker product.",
    .composite = [](const Tensor& a, const Tensor& b) -> Tensor {
      const int64_t n = std::max(a.dim(), b.dim());
      Dims x, y, sizes;
      for (int64_t d = 0; d < n; ++d) {
        const int64_t i = d - (n - a.dim()), j = d - (n - b.dim());
        const int64_t p = i >= 0 ? a.size(i) : 1, q = j >= 0 ? b.size(j) : 1;
        x.push_back(p), x.push_back(1), y.push_back(1), y.push_back(q), sizes.push_back(p * q);
      }
      return op<"reshape">(op<"reshape">(a, x) * op<"reshape">(b, y), sizes);
    },
});

}  // namespace
}  // namespace mt
