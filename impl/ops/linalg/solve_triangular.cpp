// linalg_solve_triangular: solves a triangular system.
#include "rules/form/exact_out.h"
#include "rules/linalg/linalg.h"
#include "rules/pointwise/conversion.h"

namespace mt {
namespace {

constexpr auto infer_solve_triangular_shape = [](Specs& out, const Tensor& a, const Tensor& b, bool, bool left, bool) {
  check_equation("linalg.solve_triangular", a, b, left);
  const Dims sizes = sizes_of_matrices(broadcast_shapes(batch_of(a), batch_of(b)), b.size(-2), b.size(-1));
  add_column_major(out, sizes, a.dtype());
};

// Each matrix of `a` as BLAS accepts it: column-major, or row-major and marked as transposed.
struct BlasMatrix {
  Tensor matrix;
  bool transposed;
  int leading;
};
BlasMatrix make_blas_matrix(const Tensor& a) {
  const int64_t n = a.size(-1), least = std::max<int64_t>(1, n), row = a.stride(-2), column = a.stride(-1);
  if (row == 1 && column >= least && column <= INT_MAX) return {a, false, int(column)};
  if (column == 1 && row >= least && row <= INT_MAX) return {a, true, int(row)};
  return {column_major_copy(a, a.sizes()), false, int(least)};
}
int64_t batch_offset(const Tensor& t, IntList batch, int64_t index) {
  int64_t offset = 0;
  for (int64_t d = batch.size() - 1, e = t.dim() - 3; e >= 0; --d, --e) {
    if (t.size(e) != 1) offset += index % batch[d] * t.stride(e);
    index /= batch[d];
  }
  return offset;
}

constexpr auto compute_solve_triangular = [](const Tensor& a, const Tensor& b, bool upper, bool left, bool unit, Tensor& out) {
  if (!a.device().is_cpu()) {
    BelowAutograd guard;
    auto turned = [&](const Tensor& t) { return left ? t : op<"transpose.int">(t, -2, -1); };
    auto spread = [&](const Tensor& t) { return op<"expand">(t, sizes_of_matrices(batch_of(out), t.size(-2), t.size(-1))); };
    return copy_into(out, turned(op<"triangular_solve", Tensors<2>>(spread(turned(b)), spread(a), upper, !left, unit)[0]));
  }
  dispatch_lapack(a.dtype(), "triangular_solve_cpu", [&]<class T>(Type<T>) {
    warn_of_discarded_parts(out.dtype(), b.dtype());
    copy_broadcast_into(out, b);
    if (out.numel() == 0) return;
    const BlasMatrix stored = make_blas_matrix(a);
    const IntList batch = batch_of(out);
    const int m = lapack_size(out.size(-2)), n = lapack_size(out.size(-1)), order = lapack_size(a.size(-1));
    const char side = left ? 'L' : 'R', triangle = upper != stored.transposed ? 'U' : 'L', mode = stored.transposed ? 'T' : 'N',
               diagonal = unit ? 'U' : 'N';
    const T one(1);
    for_matrices(product(batch), double(m) * n * order, [&](int64_t i) {
      const T* matrix = static_cast<const T*>(stored.matrix.data()) + batch_offset(stored.matrix, batch, i);
      cpu::lapack::trsm<T>()(&side, &triangle, &mode, &diagonal, &m, &n, &one, matrix, &stored.leading, matrix_at<T>(out, i), &m, 1, 1, 1,
                             1);
    });
  });
};

MT_OP(OpDef{
    .schema = {"linalg_solve_triangular(Tensor self, Tensor B, *, bool upper, bool left=True, bool "
               "unitriangular=False) -> Tensor"},
    .forms = function | out,
    .doc = R"(Solves a triangular system: `self` X = `B`, by substitution (BLAS' trsm).

The other triangle is not read. A zero on the diagonal gives infinities or NaN, not an error.
Leading dimensions broadcast.

Args:
    self (Tensor): ``(*, n, n)``; floating or complex.
    B (Tensor): the right side, ``(*, n, k)``, or ``(*, k, n)`` if not `left`; of the same dtype.
    upper (bool): whether the upper triangle counts.
    left (bool): False solves X A = B. Default: ``True``.
    unitriangular (bool): whether the diagonal counts as ones and is not read. Default:
        ``False``.

Returns:
    Tensor: the shape of `B`, with broadcast leading dimensions.

Raises:
    RuntimeError: when a size or dtype does not fit.

Example:
    >>> A = torch.tensor([[2.0, 0.0], [1.0, 4.0]])
    >>> torch.linalg.solve_triangular(A, torch.tensor([[2.0], [9.0]]), upper=False)
    tensor([[1.],
            [2.]]))",
    .module = "linalg",
    .rule = structured_exact(infer_solve_triangular_shape, {.dtype_text = "expected scalar type {} but found {}"}),
    .cpu = compute_solve_triangular,
    .npu = {any_device},
    .grad = {wrt({"self", "B"},
                 [](Grad g, Wanted wanted, In<"self"> a, Out<"result"> x, In<"upper", bool> upper, In<"left", bool> left,
                    In<"unitriangular", bool> unit) {
                   Tensors<2> out;
                   Tensor gb = op<"linalg_solve_triangular">(adjoint(a), g, !*upper, *left, *unit);
                   if (wanted[0]) {
                     Tensor ga = *left ? -op<"matmul">(gb, adjoint(x)) : -op<"matmul">(adjoint(x), gb);
                     const int64_t k = *unit ? 1 : 0;
                     out[0] = *upper ? op<"triu">(ga, k) : op<"tril">(ga, -k);
                   }
                   out[1] = gb;
                   return out;
                 })},
});

}  // namespace
}  // namespace mt
