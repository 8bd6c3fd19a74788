// kron: the Kronecker product.
#include <algorithm>
#include "rules/form/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"kron(Tensor self, Tensor other) -> Tensor"},
    .forms = function | method | out,
    .doc = R"(Computes the Kronecker product: blocks of `other`, each times an element of `self`.

In each dimension the result's size is the product of both; the tensor with fewer dimensions gets
leading ones of size 1. The dtypes are promoted.

Args:
    self, other (Tensor): any shape and dtype.

Returns:
    Tensor: the sizes multiplied, in the promoted dtype.

Example:
    >>> torch.kron(torch.tensor([[1, 2]]), torch.tensor([[1, 1], [0, 1]]))
    tensor([[1, 1, 2, 2],
            [0, 1, 0, 2]]))",
    .composite = [](const Tensor& a, const Tensor& b) -> Tensor {
      const int64_t n = std::max(a.dim(), b.dim());
      Dims x, y, sizes;
      for (int64_t d = 0; d < n; ++d) {
        const int64_t i = d - (n - a.dim()), j = d - (n - b.dim());
        const int64_t p = i >= 0 ? a.size(i) : 1, q = j >= 0 ? b.size(j) : 1;
        x.push_back(p), x.push_back(1), y.push_back(1), y.push_back(q), sizes.push_back(p * q);
      }
      const Tensor product = op<"_unsafe_view">(a, x) *
                             op<"_unsafe_view">(b, y);  // not `view`: the operands may have strides that do not allow it
      return op<"_unsafe_view">(op<"contiguous">(product), sizes);
    },
    .out_policy = OutPolicy{.recorded_as = "mul", .casts = true},
});

}  // namespace
}  // namespace mt
