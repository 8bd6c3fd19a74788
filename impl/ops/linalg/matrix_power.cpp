// linalg_matrix_power, matrix_power: powers of a square matrix; negative powers use its inverse.
#include "rules/linalg/linalg.h"

namespace mt {
namespace {

constexpr auto compute_matrix_power = [](const Tensor& base, int64_t n) -> Tensor {
  check_square("linalg.matrix_power", base);
  if (n == 0) {
    const Tensor identity = op<"eye">(base.size(-1), base.dtype(), nullptr, base.device());
    return op<"copy_">(op<"clone">(base, MemoryFormat::contiguous), op<"expand">(identity, base.sizes()));
  }
  if (n == 1) return op<"clone">(base, MemoryFormat::contiguous);
  const Tensor a = n < 0 ? op<"linalg_inv">(base) : base;
  uint64_t left = n < 0 ? 0 - uint64_t(n) : uint64_t(n);
  if (left == 1) return a;
  if (left == 3) return op<"matmul">(op<"matmul">(a, a), a);
  Tensor result, square;
  for (; left; left /= 2) {
    square = square.defined() ? op<"matmul">(square, square) : a;
    if (left % 2) result = result.defined() ? op<"matmul">(result, square) : square;
  }
  return result;
};

MT_OP(OpDef{
    .schema = {"linalg_matrix_power(Tensor self, int n) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes the `n`-th power of each square matrix, by repeated squaring.

0 gives the identity; negative powers are those of the inverse.

Args:
    self (Tensor): ``(*, n, n)``; negative powers need a floating or complex dtype.
    n (int): the power.

Returns:
    Tensor: shape and dtype of `self`.

Raises:
    torch.linalg.LinAlgError: when `n` is negative and a matrix is singular.

Example:
    >>> torch.linalg.matrix_power(torch.tensor([[1.0, 1.0], [0.0, 1.0]]), 5)
    tensor([[1., 5.],
            [0., 1.]])
    >>> torch.linalg.matrix_power(torch.tensor([[4.0, 2.0], [2.0, 5.0]]), -1)
    tensor([[ 0.3125, -0.1250],
            [-0.1250,  0.2500]]))",
    .module = "linalg",
    .composite = compute_matrix_power,
    .out_policy =
        OutPolicy{.dtype_error = "matrix_power: Expected result to be safely castable from {} dtype, but got result with dtype {}",
                  .device_error =
                      "matrix_power: Expected result and input tensors to be on the same device, but got result on {1} and input on {0}",
                  .recorded_as = written_as_leaf,
                  .casts = true},
});
MT_OP(OpDef{
    .schema = {"matrix_power(Tensor self, int n) -> Tensor"},
    .forms = function | method | out,
    .doc = R"(Computes the `n`-th power of each square matrix. It is an older name of `torch.linalg.matrix_power`.

Args:
    self (Tensor): ``(*, n, n)``; negative powers need a floating or complex dtype.
    n (int): the power.

Returns:
    Tensor: shape and dtype of `self`.

Example:
    >>> torch.matrix_power(torch.tensor([[1.0, 1.0], [0.0, 1.0]]), 5)
    tensor([[1., 5.],
            [0., 1.]]))",
    .composite = [](const Tensor& a, int64_t n) -> Tensor { return op<"linalg_matrix_power">(a, n); },
});

}  // namespace
}  // namespace mt
