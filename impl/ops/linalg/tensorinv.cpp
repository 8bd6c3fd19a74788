// linalg_tensorinv: the inverse under tensordot.
#include "rules/linalg/linalg.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"linalg_tensorinv(Tensor self, int ind=2) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes the inverse of a tensor as a linear map: the inverse under `torch.tensordot`.

The first `ind` dimensions count as rows, the others as columns; both have the same number of
elements.

Args:
    self (Tensor): floating or complex.
    ind (int): how many dimensions count as rows, at least 1. Default: ``2``.

Returns:
    Tensor: the shape ``self.shape[ind:] + self.shape[:ind]``.

Raises:
    torch.linalg.LinAlgError: when the matrix is singular.
    RuntimeError: when it is not square.

Example:
    >>> A = 2 * torch.eye(4).reshape(2, 2, 4)
    >>> torch.linalg.tensorinv(A).shape
    torch.Size([4, 2, 2]))",
    .module = "linalg",
    .composite = [](const Tensor& a, int64_t ind) -> Tensor {
      check(ind > 0, "Expected a strictly positive integer for 'ind', but got {}", ind);
      check(ind <= a.dim(), "ArrayRef: invalid slice, N = {}; size = {}", ind, a.dim());
      const IntList first(a.sizes().data, ind), last(a.sizes().data + ind, a.dim() - ind);
      const int64_t rows = product(first), columns = product(last);
      check(rows == columns, "Expected self to satisfy the requirement prod(self.shape[ind:]) == prod(self.shape[:ind]), but got {} != {}",
            columns, rows);
      Dims sizes(last);
      for (int64_t s : first) sizes.push_back(s);
      auto both = op<"linalg_inv_ex", Tensors<2>>(op<"reshape">(a, IntList{rows, columns}));
      check_info(both[1], "inv", true);
      return op<"reshape">(both[0], sizes);
    },
    .out_policy =
        OutPolicy{
            .dtype_error = "tensorinv: Expected result to be safely castable from {} dtype, but got result with dtype {}",
            .device_error = "tensorinv: Expected result and input tensors to be on the same device, but got result on {1} and input on {0}",
            .recorded_as = written_as_leaf,
            .casts = true},
});

}  // namespace
}  // namespace mt
