// linalg_tensorsolve: the solution of tensordot(self, X) = other.
#include "rules/linalg/linalg.h"

namespace mt {
namespace {

MT_OP(OpDef{
    .schema = {"linalg_tensorsolve(Tensor self, Tensor other, int[]? dims=None) -> Tensor"},
    .forms = function | out,
    .doc = R"(Solves tensordot(`self`, X, X.ndim) = `other` for X.

The last dimensions of `self`, those beyond the dimensions of `other`, are those of X.

Args:
    self (Tensor): the shape ``other.shape + X.shape``, where both parts have the same number of
        elements.
    other (Tensor): the right side.
    dims (tuple of ints, optional): dimensions of `self` to move to its end first. Default:
        ``None``.

Returns:
    Tensor: X, with the last dimensions of `self`.

Raises:
    torch.linalg.LinAlgError: when the matrix is singular.
    RuntimeError: when it is not square.

Example:
    >>> A = 2 * torch.eye(4).reshape(2, 2, 4)
    >>> torch.linalg.tensorsolve(A, torch.tensor([[2.0, 4.0], [6.0, 8.0]]))
    tensor([1., 2., 3., 4.]))",
    .module = "linalg",
    .composite = [](const Tensor& a0, const Tensor& b, std::optional<IntList> dims) -> Tensor {
      Tensor a = a0;
      if (dims) {
        Dims to(dims->size());
        for (int64_t i = 0; i < dims->size(); ++i) to[i] = a.dim() - dims->size() + i;
        a = op<"movedim.intlist">(a, *dims, to);
      }
      check(b.dim() <= a.dim(), "cannot create std::vector larger than max_size()");
      const IntList of_x(a.sizes().data + b.dim(), a.dim() - b.dim());
      const int64_t columns = product(of_x);
      check(columns == b.numel(),
            "Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == prod(self.shape[:other.ndim]), "
            "but got {} != {}",
            columns, b.numel());
      const Tensor x = op<"linalg_solve">(op<"reshape">(a, IntList{columns, columns}), op<"reshape">(b, IntList{-1}));
      return op<"reshape">(x, of_x);
    },
    .out_policy =
        OutPolicy{.dtype_error = "tensorsolve: Expected result to be safely castable from {} dtype, but got result with dtype {}",
                  .device_error =
                      "tensorsolve: Expected result and input tensors to be on the same device, but got result on {1} and input on {0}",
                  .recorded_as = written_as_leaf,
                  .casts = true},
});

}  // namespace
}  // namespace mt
