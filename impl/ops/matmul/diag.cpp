// diag: a matrix with the vector on a diagonal, or a matrix's diagonal as a vector.
#include "rules/form/algebra.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"diag(Tensor self, int diagonal=0) -> Tensor"},
    .forms = function | method | out,
    .doc = R"(Makes a matrix with a vector on its diagonal, or takes a matrix's diagonal as a vector.

The result is a copy in both cases; `torch.diagonal` makes views.

Args:
    self (Tensor): ``(n,)`` or ``(n, m)``; any dtype.
    diagonal (int): which diagonal: 0 the main one, positive ones above it. Default: ``0``.

Returns:
    Tensor: a matrix with n + |diagonal| rows and columns, or a vector.

Raises:
    RuntimeError: when `self` has another number of dimensions.

Example:
    >>> torch.diag(torch.tensor([1, 2]))
    tensor([[1, 0],
            [0, 2]])
    >>> torch.diag(torch.tensor([[1, 2], [3, 4]]), 1)
    tensor([2]))",
    .composite = [](const Tensor& self, int64_t k) -> Tensor {
      check(self.dim() == 1 || self.dim() == 2, "diag(): Supports 1D or 2D tensors. Got {}D", self.dim());
      return self.dim() == 1 ? op<"diag_embed">(self, k) : op<"diagonal_copy">(self, k);
    },
    .out_policy = OutPolicy{.dtype_error = "diag: result type {} can't be cast to the desired out= type {}",
                            .recorded_as = "aten::diag_embed",
                            .dtype_error_if_uncastable = true},
});

}  // namespace
}  // namespace mt
