// linalg_ldl_solve: solves a system with the factors that ldl_factor returns.
#include "rules/form/exact_out.h"
#include "rules/linalg/linalg.h"

namespace mt {
namespace {

constexpr auto infer_ldl_solve_shape = [](Specs& out, const Tensor& ld, const Tensor& pivots, const Tensor& b, bool) {
  check_square("torch.linalg.ldl_solve", ld);
  check_floating("torch.linalg.ldl_solve", ld);
  check(b.dim() > 0, ErrorKind::index, "Dimension specified as -2 but tensor has no dimensions");
  wrap_dim(-2, b.dim());
  check_old_equation("torch.linalg.ldl_solve", b, ld);
  check(b.dim() >= 2, "torch.linalg.ldl_solve: Expected B to have at least 2 dimensions, but it has {} dimensions instead", b.dim());
  check(IntList(ld.sizes().data, ld.dim() - 1) == pivots.sizes(),
        "torch.linalg.ldl_solve: Expected LD.shape[:-1] and pivots.shape to be the same, but got pivots with shape {} "
        "instead",
        pivots.sizes());
  check(is_integral(pivots.dtype(), false), "torch.linalg.ldl_solve: Expected pivots to be integers. Got {}", pivots.dtype());
  add_column_major(out, sizes_of_matrices(broadcast_shapes(batch_of(ld), batch_of(b)), b.size(-2), b.size(-1)), b.dtype());
};
constexpr auto compute_ldl_solve = [](const Tensor& ld, const Tensor& pivots0, const Tensor& b, bool hermitian, Tensor& out) {
  dispatch_lapack(ld.dtype(), "ldl_solve_cpu", [&]<class T>(Type<T>) {
    copy_broadcast_into(out, b);
    if (out.numel() == 0) return;
    const Tensor factors = column_major_copy(ld, ld.sizes()), pivots = op<"contiguous">(op<"to.dtype">(pivots0, Dtype::int32));
    const int n = lapack_size(ld.size(-1)), columns = lapack_size(b.size(-1));
    // LAPACK does not check the pivots: an invalid one would read beyond the matrix.
    for (int64_t i = 0; i < pivots.numel(); ++i) {
      const int p = pivots.data<int>()[i];
      check(p != 0 && p <= n && p >= -n, "torch.linalg.ldl_solve: pivots must be between 1 and {} in size, but one is {}", int64_t(n),
            int64_t(p));
      check(p > 0 || n > 1, "torch.linalg.ldl_solve: a negative pivot stands for a pair of rows, but the matrix has one");
    }
    auto* const solve = hermitian ? cpu::lapack::hetrs<T>() : cpu::lapack::sytrs<T>();
    const char side = 'L';
    for_matrices(product(batch_of(out)), 2.0 * n * n * columns, [&](int64_t i) {
      const int64_t source = broadcast_index(batch_of(ld), batch_of(out), i);
      int info = 0;
      solve(&side, &n, &columns, matrix_at<T>(factors, source), &n, pivots.data<int>() + source * n, matrix_at<T>(out, i), &n, &info, 1);
    });
  });
};

MT_OP(OpDef{
    .schema = {"linalg_ldl_solve(Tensor LD, Tensor pivots, Tensor B, *, bool hermitian=False) -> Tensor"},
    .forms = function | out,
    .doc = R"(Solves A X = `B` for X, given the LDL factors of A (LAPACK's sytrs and hetrs).

Leading dimensions of `LD` and `B` broadcast. There is no derivative.

Args:
    LD (Tensor): ``(*, n, n)``, as `torch.linalg.ldl_factor` returns it.
    pivots (Tensor): ``(*, n)``; integer.
    B (Tensor): the right side, ``(*, n, k)``.
    hermitian (bool): whether A is Hermitian rather than symmetric. Default: ``False``.

Returns:
    Tensor: ``(*, n, k)``.

Raises:
    RuntimeError: when a size or dtype does not fit, or a pivot is no row.

Example:
    >>> LD, pivots = torch.linalg.ldl_factor(torch.tensor([[4.0, 2.0], [2.0, 5.0]]))
    >>> torch.linalg.ldl_solve(LD, pivots, torch.tensor([[8.0], [12.0]]))
    tensor([[1.],
            [2.]]))",
    .module = "linalg",
    .rule = structured_exact(infer_ldl_solve_shape),
    .cpu = compute_ldl_solve,
});

}  // namespace
}  // namespace mt
