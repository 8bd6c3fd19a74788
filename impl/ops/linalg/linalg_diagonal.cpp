// linalg_diagonal: diagonal over the last two dimensions.
#include "rules/linalg/linalg.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"linalg_diagonal(Tensor(a) A, *, int offset=0, int dim1=-2, int dim2=-1) -> Tensor(a)"},
    .forms = function,
    .doc = R"(Returns a view of the diagonal of each matrix.

As `torch.diagonal`, whose defaults are the first two dimensions. The view shares memory with
`A`.

Args:
    A (Tensor): at least two dimensions; any dtype.
    offset (int): which diagonal: 0 the main one, positive ones above it. Default: ``0``.
    dim1, dim2 (int): the dimensions of the rows and the columns. Default: ``-2`` and ``-1``.

Returns:
    Tensor: a view, without `dim1` and `dim2` and with the diagonal as the last dimension.

Example:
    >>> torch.linalg.diagonal(torch.tensor([[1, 2], [3, 4]]))
    tensor([1, 4]))",
    .module = "linalg",
    .composite = [](const Tensor& a, int64_t offset, int64_t dim1, int64_t dim2) -> Tensor {
      return op<"diagonal">(a, offset, dim1, dim2);
    },
});

}  // namespace
}  // namespace mt
