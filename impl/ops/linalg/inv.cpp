// linalg_inv_ex, linalg_inv, inverse: the inverse of a square matrix.
#include "rules/form/exact_out.h"
#include "rules/linalg/lu.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto infer_inv_shape = [](Specs& out, const Tensor& a, bool) {
  check_square("linalg.inv", a);
  check_linalg_dtype("linalg.inv", a);
  add_column_major(out, a.sizes(), a.dtype());
  out.add(batch_of(a), Dtype::int32);
};
constexpr auto compute_inv = [](const Tensor& a, bool check_errors, Tensor& inverse, Tensor& info) {
  const Tensor pivots = empty(IntList(a.sizes().data, a.dim() - 1), Dtype::int32);
  copy_broadcast_into(inverse, a);
  lu_factor_in_place(inverse, pivots, info);
  if (check_errors) check_info(info, "linalg.inv_ex", a.dim() == 2);
  if (lu_invert_in_place(inverse, pivots, info)) return;
  // If one matrix is singular, solves all systems with the identity instead: the singular matrix then has infinities or NaN in its result.
  const Tensor lu = column_major_copy(inverse, a.sizes());
  BelowAutograd guard;
  op<"zero_">(inverse);
  op<"fill_">(diagonal_of(inverse), 1);
  lu_solve_in_place(lu, pivots, inverse, 'N');
};

MT_OP(OpDef{
    .schema = {"linalg_inv_ex(Tensor A, *, bool check_errors=False) -> (Tensor inverse, Tensor info)"},
    .forms = function | out,
    .form_overloads = {{"out", "inverse"}},
    .doc = R"(Computes the inverse of each square matrix, and a code instead of an error.

As `torch.linalg.inv`. A code of k says that U's k-th diagonal element is 0; the inverse of that
matrix has infinities or NaN.

Args:
    A (Tensor): ``(*, n, n)``; float32, float64, complex64 or complex128.
    check_errors (bool): whether to raise on a code other than 0. Default: ``False``.

Returns:
    tuple of Tensor: ``inverse``, with the shape of `A`, and ``info``, int32, ``(*)``.

Raises:
    torch.linalg.LinAlgError: when `check_errors` is set and a matrix is singular.

Example:
    >>> torch.linalg.inv_ex(torch.tensor([[1.0, 2.0], [2.0, 4.0]])).info
    tensor(2, dtype=torch.int32))",
    .module = "linalg",
    .rule = structured_exact(infer_inv_shape),
    .cpu = compute_inv,
    .npu = {"Inverse(A, out.0)"},
    .grad = {wrt("A", [](Grad g, Out<"inverse"> inverse) { return -op<"matmul">(adjoint(inverse), op<"matmul">(g, adjoint(inverse))); })},
    .batch = batch_leading,
});
MT_OP(OpDef{
    .schema = {"linalg_inv(Tensor A) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes the inverse of each square matrix, by its LU factors (LAPACK's getrf and getri).

The gradient is -A^-H g A^-H. To solve equations, `torch.linalg.solve` is faster and more
accurate.

Args:
    A (Tensor): ``(*, n, n)``; float32, float64, complex64 or complex128.

Returns:
    Tensor: the shape and dtype of `A`.

Raises:
    torch.linalg.LinAlgError: when a matrix is singular.

Example:
    >>> torch.linalg.inv(torch.tensor([[4.0, 2.0], [2.0, 5.0]]))
    tensor([[ 0.3125, -0.1250],
            [-0.1250,  0.2500]]))",
    .module = "linalg",
    .composite = [](const Tensor& a) -> Tensor {
      auto both = op<"linalg_inv_ex", Tensors<2>>(a, false);
      check_info(both[1], "linalg.inv", a.dim() == 2);
      return both[0];
    },
    .out_policy = OutPolicy{.device_error = out_device_differs, .recorded_as = "linalg_inv_ex", .takes_strides = true},
});
MT_OP(OpDef{
    .schema = {"inverse(Tensor self) -> Tensor"},
    .forms = function | method | out,
    .doc = R"(Computes the inverse of each square matrix. It is an older name of `torch.linalg.inv`.

Args:
    self (Tensor): ``(*, n, n)``; float32, float64, complex64 or complex128.

Returns:
    Tensor: shape and dtype of `self`.

Raises:
    torch.linalg.LinAlgError: when a matrix is singular.

Example:
    >>> torch.inverse(torch.tensor([[4.0, 2.0], [2.0, 5.0]]))
    tensor([[ 0.3125, -0.1250],
            [-0.1250,  0.2500]]))",
    .composite = [](const Tensor& a) -> Tensor { return op<"linalg_inv">(a); },
});

}  // namespace
}  // namespace mt
