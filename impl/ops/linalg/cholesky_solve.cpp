// cholesky_solve: solves a system with the Cholesky factor of its matrix.
#include "rules/linalg/linalg.h"

namespace mt {
namespace {

constexpr auto infer_cholesky_solve_shape = [](Specs& out, const Tensor& b, const Tensor& l, bool) {
  check(b.dim() >= 2, "b should have at least 2 dimensions, but has {} dimensions instead", b.dim());
  check(l.dim() >= 2, "u should have at least 2 dimensions, but has {} dimensions instead", l.dim());
  check_old_equation("cholesky_solve", b, l);
  add_column_major(out, sizes_of_matrices(broadcast_shapes(batch_of(b), batch_of(l)), b.size(-2), b.size(-1)), b.dtype());
};
constexpr auto compute_cholesky_solve = [](const Tensor& b, const Tensor& l, bool upper, Tensor& out) {
  dispatch_lapack(b.dtype(), "cholesky_solve_cpu", [&]<class T>(Type<T>) {
    copy_broadcast_into(out, b);
    if (out.numel() == 0) return;
    const Tensor factor = column_major_copy(l, l.sizes());
    const int n = lapack_size(l.size(-1)), columns = lapack_size(b.size(-1));
    const char side = upper ? 'U' : 'L';
    for_matrices(product(batch_of(out)), 2.0 * n * n * columns, [&](int64_t i) {
      int info = 0;
      const T* a = matrix_at<T>(factor, broadcast_index(batch_of(l), batch_of(out), i));
      cpu::lapack::potrs<T>()(&side, &n, &columns, a, &n, matrix_at<T>(out, i), &n, &info, 1);
    });
  });
};

MT_OP(OpDef{
    .schema = {"cholesky_solve(Tensor self, Tensor input2, bool upper=False) -> Tensor"},
    .forms = function | method | out,
    .doc = R"(Solves L L^H X = `self` for X, given the Cholesky factor L (LAPACK's potrs).

Leading dimensions broadcast.

Args:
    self (Tensor): the right side, ``(*, n, k)``.
    input2 (Tensor): the factor, ``(*, n, n)``, of the same dtype; the other triangle is not
        read.
    upper (bool): whether the factor is U with A = U^H U. Default: ``False``.

Returns:
    Tensor: ``(*, n, k)``.

Raises:
    RuntimeError: when a size or dtype does not fit.

Example:
    >>> L = torch.linalg.cholesky(torch.tensor([[4.0, 2.0], [2.0, 5.0]]))
    >>> torch.cholesky_solve(torch.tensor([[8.0], [12.0]]), L)
    tensor([[1.],
            [2.]]))",
    .rule = structured(infer_cholesky_solve_shape),
    .cpu = compute_cholesky_solve,
    .grad = {wrt({"self", "input2"},
                 [](Grad g, Wanted wanted, In<"input2"> l, Out<"result"> x, In<"upper", bool> upper) {
                   Tensors<2> out;
                   out[0] = op<"cholesky_solve">(g, l, *upper);
                   if (wanted[1]) {
                     const Tensor half = op<"matmul">(out[0], adjoint(x)), common = half + adjoint(half);
                     out[1] = *upper ? -op<"matmul">(l, common) : -op<"matmul">(common, l);
                   }
                   return out;
                 })},
    .out_policy =
        OutPolicy{.dtype_error = "cholesky_solve: Expected result to be safely castable from {} dtype, but got result with dtype {}",
                  .takes_strides = true},
});

}  // namespace
}  // namespace mt
