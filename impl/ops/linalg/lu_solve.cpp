// linalg_lu_solve, lu_solve: solve systems with known LU factors.
#include "core/messages.h"
#include "rules/form/exact_out.h"
#include "rules/linalg/lu.h"

namespace mt {
namespace {

constexpr auto infer_lu_solve_shape = [](Specs& out, const Tensor& lu, const Tensor& pivots, const Tensor& b, bool left, bool) {
  check_floating("torch.linalg.lu_solve", lu);
  check(lu.dtype() == b.dtype(),
        "linalg.lu_solve: Expected LU and B to have the same dtype, but found LU of type {} and B of type {} instead", lu.dtype(),
        b.dtype());
  check(pivots.dtype() == Dtype::int32, "linalg.lu_solve: pivots should be a Tensor of scalar type torch.int32");
  check_square("torch.linalg.lu_solve", lu);
  check_equation("linalg.lu_solve", lu, b, left);
  check(pivots.dim() > 0, ErrorKind::index, messages::dimension_specified_as_minus_1);
  check(lu.size(-1) == pivots.size(-1), "linalg.lu_solve: Number of pivots per batch should be same as the dimension of the matrix");
  check(IntList(lu.sizes().data, lu.dim() - 1) == pivots.sizes(),
        "linalg.lu_solve: Expected LU.shape[:-1] and pivots.shape to be the same, but got pivots with shape {} instead", pivots.sizes());
  const Dims sizes = sizes_of_matrices(broadcast_shapes(batch_of(b), batch_of(lu)), b.size(-2), b.size(-1));
  if (left)
    add_column_major(out, sizes, b.dtype());
  else
    out.add(sizes, b.dtype());
};
constexpr auto compute_lu_solve = [](const Tensor& lu, const Tensor& pivots0, const Tensor& b, bool left, bool adjoint, Tensor& out) {
  const Tensor pivots = op<"contiguous">(pivots0);
  const int64_t n = lu.size(-1);
  for (int64_t i = 0; i < pivots.numel(); ++i) {
    check(pivots.data<int>()[i] >= 1,
          "Pivots given to lu_solve must all be greater or equal to 1. Did you properly pass the result of lu_factor?");
    check(pivots.data<int>()[i] <= n,
          "Pivots given to lu_solve must all be smaller or equal to LU.size(-2). Did you properly pass the result of "
          "lu_factor?");
  }
  dispatch_lapack(lu.dtype(), "linalg.lu_solve_cpu", [](auto) {});
  const Tensor factors = lu.strides() == IntList(column_major_strides(lu.sizes())) ? lu : column_major_copy(lu, lu.sizes());
  if (left) {
    copy_broadcast_into(out, b);
    return lu_solve_in_place(factors, pivots, out, adjoint ? 'C' : 'N');
  }
  // X A = B is A^T X^T = B^T, and X A^H = B is A X^H = B^H.
  copy_broadcast_into(out, b);
  const Tensor x = transposed(out);
  if (!adjoint) return lu_solve_in_place(factors, pivots, x, 'T');
  if (is_complex(out.dtype())) copy_into(out, op<"conj_physical">(out));
  lu_solve_in_place(factors, pivots, x, 'N');
  if (is_complex(out.dtype())) copy_into(out, op<"conj_physical">(out));
};

Tensors<2> differentiate_lu_solve(const Tensor& g, Wanted wanted, const Tensor& lu, const Tensor& pivots, const Tensor& x, bool left,
                                  bool adjointed) {
  Tensors<2> out;
  const Tensor gb = op<"linalg_lu_solve">(lu, pivots, g, left, !adjointed);
  out[1] = gb;
  if (!wanted[0]) return out;
  const Tensor along = left ? op<"matmul">(gb, adjoint(x)) : op<"matmul">(adjoint(x), gb);
  const Tensor ga = adjointed ? -adjoint(along) : -along;
  auto parts = op<"lu_unpack", Tensors<3>>(lu, pivots, true, true);
  const Tensor pa = op<"matmul">(op<"transpose">(parts[0], -2, -1), ga);
  out[0] = op<"tril">(op<"matmul">(pa, adjoint(parts[2])), -1) + op<"triu">(op<"matmul">(adjoint(parts[1]), pa));
  return out;
}

MT_OP(OpDef{
    .schema = {"linalg_lu_solve(Tensor LU, Tensor pivots, Tensor B, *, bool left=True, bool adjoint=False) -> Tensor"},
    .forms = function | out,
    .doc = R"(Solves A X = `B` for X, given the LU factors of A (LAPACK's getrs).

Leading dimensions of `LU` and `B` broadcast.

Args:
    LU (Tensor): ``(*, n, n)``, as `torch.linalg.lu_factor` returns it.
    pivots (Tensor): ``(*, n)``; int32.
    B (Tensor): the right side, ``(*, n, k)``, or ``(*, k, n)`` if not `left`; of the same dtype.
    left (bool): False solves X A = B. Default: ``True``.
    adjoint (bool): whether to solve with A^H. Default: ``False``.

Returns:
    Tensor: the shape of `B`, with broadcast leading dimensions.

Raises:
    RuntimeError: when a size or dtype does not fit, or a pivot is no row.

Example:
    >>> LU, pivots = torch.linalg.lu_factor(torch.tensor([[4.0, 2.0], [2.0, 5.0]]))
    >>> torch.linalg.lu_solve(LU, pivots, torch.tensor([[8.0], [12.0]]))
    tensor([[1.],
            [2.]]))",
    .module = "linalg",
    .rule = structured_exact(infer_lu_solve_shape),
    .cpu = compute_lu_solve,
    .grad = {wrt({"LU", "B"},
                 [](Grad g, Wanted wanted, In<"LU"> lu, In<"pivots"> pivots, Out<"result"> x, In<"left", bool> left,
                    In<"adjoint", bool> adjoint) { return differentiate_lu_solve(g, wanted, lu, pivots, x, *left, *adjoint); })},
});

void warn_of_older_name() {
  static std::atomic<bool> warned;
  warn_once(warned,
            "torch.lu_solve is deprecated in favor of torch.linalg.lu_solveand will be removed in a future PyTorch "
            "release.\nNote that "
            "torch.linalg.lu_solve has its arguments reversed.\nX = torch.lu_solve(B, LU, pivots)\nshould be "
            "replaced with\nX = "
            "torch.linalg.lu_solve(LU, pivots, B)");
}
MT_OP(OpDef{
    .schema = {"lu_solve(Tensor self, Tensor LU_data, Tensor LU_pivots) -> Tensor"},
    .forms = function | method,
    .doc = R"(Solves A X = `self` for X, given the LU factors of A.

Deprecated: `torch.linalg.lu_solve` is the newer form, with another order of arguments.

Args:
    self (Tensor): the right side, ``(*, n, k)``.
    LU_data (Tensor): ``(*, n, n)``, as `torch.linalg.lu_factor` returns it.
    LU_pivots (Tensor): ``(*, n)``; int32.

Returns:
    Tensor: ``(*, n, k)``.

Example:
    >>> LU, pivots = torch.linalg.lu_factor(torch.tensor([[4.0, 2.0], [2.0, 5.0]]))
    >>> torch.lu_solve(torch.tensor([[8.0], [12.0]]), LU, pivots)
    tensor([[1.],
            [2.]]))",
    .composite = [](const Tensor& b, const Tensor& lu, const Tensor& pivots) -> Tensor {
      warn_of_older_name();
      return op<"linalg_lu_solve">(lu, pivots, b);
    },
});
MT_OP(OpDef{
    .schema = {"lu_solve.out(Tensor self, Tensor LU_data, Tensor LU_pivots, *, Tensor(a!) out) -> Tensor(a!)"},
    .forms = out,
    .doc = "Writes the solution X of A X = `self` into `out`.",
    .composite = [](const Tensor& b, const Tensor& lu, const Tensor& pivots, const Tensor& out) -> Tensor {
      warn_of_older_name();
      return op<"linalg_lu_solve.out">(lu, pivots, b, true, false, out);
    },
    .out_policy = OutPolicy{.refused_inside = true},
});

}  // namespace
}  // namespace mt
