// triangular_solve: solves a triangular system, and returns the matrix that was used.
#include <limits>

#include "core/messages.h"
#include "rules/form/exact_out.h"
#include "rules/linalg/linalg.h"
#include "rules/sparse/sparse.h"

namespace mt {
namespace {

constexpr auto infer_triangular_solve_shape = [](Specs& out, const Tensor& b, const Tensor& a, bool, bool, bool) {
  check(b.dim() >= 2, messages::triangular_solve_b_rank, b.dim());
  check(a.dim() >= 2, "torch.triangular_solve: Expected A to have at least 2 dimensions, but it has {} dimensions instead", a.dim());
  check_old_equation("triangular_solve", b, a);
  const Dims batch = broadcast_shapes(batch_of(b), batch_of(a));
  add_column_major(out, sizes_of_matrices(batch, b.size(-2), b.size(-1)), b.dtype());
  add_column_major(out, sizes_of_matrices(batch, a.size(-2), a.size(-1)), a.dtype());
};

std::atomic<bool> has_warned;
constexpr auto compute_triangular_solve = [](const Tensor& b, const Tensor& a, bool upper, bool transpose, bool unitriangular, Tensor& x,
                                             Tensor& copy) {
  warn_once(has_warned,
            "torch.triangular_solve is deprecated in favor of torch.linalg.solve_triangularand will be removed in a "
            "future PyTorch "
            "release.\ntorch.linalg.solve_triangular has its arguments reversed and does not return a copy of one of "
            "the inputs.\nX = "
            "torch.triangular_solve(B, A).solution\nshould be replaced with\nX = torch.linalg.solve_triangular(A, B).");
  dispatch_lapack(a.dtype(), "triangular_solve_cpu", [](auto) {});
  BelowAutograd guard;
  copy_broadcast_into(copy, a);
  copy_into(x, transpose ? op<"linalg_solve_triangular">(op<"transpose">(copy, -2, -1), b, !upper, true, unitriangular)
                         : op<"linalg_solve_triangular">(copy, b, upper, true, unitriangular));
};

Tensors<2> differentiate_triangular_solve(const Tensor& gx, const Tensor& gm, Wanted wanted, const Tensor& a, const Tensor& x, bool upper,
                                          bool transpose, bool unit) {
  Tensors<2> out;
  if (gx.defined()) {
    out[0] = op<"triangular_solve", Tensors<2>>(gx, conj(a), upper, !transpose, unit)[0];
    if (wanted[1]) {
      const Tensor full = transpose ? -op<"matmul">(conj(x), op<"transpose">(out[0], -2, -1)) : -op<"matmul">(out[0], adjoint(x));
      out[1] = upper ? op<"triu">(full, int(unit)) : op<"tril">(full, -int(unit));
    }
  }
  if (gm.defined()) out[1] = sum_of_defined(out[1], gm);
  return out;
}

MT_OP(OpDef{
    .schema = {"triangular_solve(Tensor self, Tensor A, bool upper=True, bool transpose=False, bool "
               "unitriangular=False) -> (Tensor solution, Tensor "
               "cloned_coefficient)"},
    .forms = function | method | out,
    .form_overloads = {{"out", "X(X, M)"}},
    .doc = R"(Solves a triangular system `A` X = `self`, and returns a copy of `A` as well.

Deprecated: `torch.linalg.solve_triangular` is the newer form, with another order of arguments.

Args:
    self (Tensor): the right side, ``(*, n, k)``.
    A (Tensor): ``(*, n, n)``, of the same dtype; the other triangle is not read.
    upper (bool): whether the upper triangle counts. Default: ``True``.
    transpose (bool): whether to solve A^T X = B. Default: ``False``.
    unitriangular (bool): whether the diagonal counts as ones and is not read. Default:
        ``False``.

Returns:
    tuple of Tensor: ``solution``, ``(*, n, k)``, and ``cloned_coefficient``.

Example:
    >>> A = torch.tensor([[2.0, 0.0], [1.0, 4.0]])
    >>> torch.triangular_solve(torch.tensor([[2.0], [9.0]]), A, upper=False).solution
    tensor([[1.],
            [2.]]))",
    .rule = structured_exact(infer_triangular_solve_shape),
    .cpu = compute_triangular_solve,
    .npu = {"TriangularSolve"},
    .compressed = [](const Tensor& b, const Tensor& a, bool upper, bool transpose, bool unitriangular) -> Tensors<2> {
      check(b.dim() >= 2, messages::triangular_solve_b_rank, b.dim());
      check(b.dtype() == a.dtype(), messages::dtypes_of_b_and_a_differ, b.dtype(), a.dtype());
      check(a.layout() != Layout::sparse_csc, ErrorKind::value, "triangular_solve: unsupported sparse layout.");
      check(a.layout() != Layout::sparse_bsc && !is_sparse(b), "triangular_solve: Got an unexpected layout.");
      dispatch_lapack(a.dtype(), "triangular_solve_out_sparse_csr_impl_mkl", [](auto) {});
      BelowAutograd guard;
      const Tensor dense = op<"to_dense">(a);
      const auto made = op<"triangular_solve", Tensors<2>>(b, dense, upper, transpose, unitriangular);
      const Tensor x = op<"contiguous">(made[0]), diagonal = op<"diagonal">(dense, int64_t(0), int64_t(-2), int64_t(-1));
      // A singular sparse system returns NaN for every element, as the library that torch calls does.
      if (!unitriangular && *op<"any">(op<"eq.Scalar">(diagonal, Scalar(0))).data<bool>())
        op<"fill_">(x, Scalar(std::numeric_limits<double>::quiet_NaN()));
      return {x, empty({0}, a.dtype())};
    },
    .grad = {wrt({"self", "A"},
                 [](GradOf<0> gx, GradOf<1> gm, Wanted wanted, In<"A"> a, Out<"solution"> x, In<"upper", bool> upper,
                    In<"transpose", bool> transpose, In<"unitriangular", bool> unit) {
                   return differentiate_triangular_solve(gx, gm, wanted, a, x, *upper, *transpose, *unit);
                 })},
});

}  // namespace
}  // namespace mt
