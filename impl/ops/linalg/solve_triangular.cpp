// linalg_solve_triangular: the solution of a triangular system.
#include "rules/linalg.h"

namespace mt {
namespace {

// Batch sizes of both together.
Dims batch_of(const Tensor& a, const Tensor& b) {
  return broadcast_shapes(IntList(a.sizes().data, a.dim() - 2), IntList(b.sizes().data, b.dim() - 2));
}
Dims with_matrix(const Dims& batch, int64_t rows, int64_t columns) {
  Dims sizes(batch);
  sizes.push_back(rows);
  sizes.push_back(columns);
  return sizes;
}
constexpr auto shape = [](Specs& out, const Tensor& a, const Tensor& b, bool, bool left, bool) {
  check_square("linalg.solve_triangular", a);
  check_matrix("linalg.solve_triangular", b);
  check_linalg_dtype("linalg.solve_triangular", a);
  check(a.dtype() == b.dtype(), "linalg.solve_triangular: Expected A and B to have the same dtype, but found A of type {} and B of type {} instead", a.dtype(), b.dtype());
  check(left ? a.size(-2) == b.size(-2) : a.size(-1) == b.size(-1), "linalg.solve_triangular: Incompatible shapes of A and B for the equation {} ({}x{} and {}x{})",
        left ? "AX = B" : "XA = B", a.size(-2), a.size(-1), b.size(-2), b.size(-1));
  const Dims sizes = with_matrix(batch_of(a, b), b.size(-2), b.size(-1));
  out.add_strided(sizes, column_major(sizes), b.dtype());
};
constexpr auto kernel = [](const Tensor& a, const Tensor& b, bool upper, bool left, bool unit, Tensor& out) {
  if (out.numel() == 0) return;
  // X A = B is A^T X^T = B^T: the other triangle of the transposes.
  BelowAutograd guard;
  const Dims batch = batch_of(a, b);
  const int64_t n = a.size(-1), columns = left ? b.size(-1) : b.size(-2);
  const Tensor matrix = column_major_copy(left ? a : op<"transpose">(a, -2, -1), with_matrix(batch, n, n));
  const Tensor right = column_major_copy(left ? b : op<"transpose">(b, -2, -1), with_matrix(batch, n, columns));
  dispatch_lapack(a.dtype(), "triangular_solve_cpu", [&]<class T>(Type<T>) {
    const char side = upper == left ? 'U' : 'L', plain = 'N', diagonal = unit ? 'U' : 'N';
    const int order = int(n), width = int(columns);
    for (int64_t i = 0; i < product(batch); ++i) {
      int info = 0;
      cpu::lapack::trtrs<T>()(&side, &plain, &diagonal, &order, &width, static_cast<const T*>(matrix.data()) + i * n * n, &order,
                              static_cast<T*>(right.data()) + i * n * columns, &order, &info, 1, 1, 1);
      if (info > 0) {  // a zero on the diagonal: LAPACK leaves B, torch divides
        T* x = static_cast<T*>(right.data()) + i * n * columns;
        for (int64_t k = 0; k < n * columns; ++k) x[k] = T(__builtin_nan(""));
      }
    }
  });
  copy_into(out, left ? right : op<"transpose">(right, -2, -1));
};

MT_OP(OpDef{
    .schema = {"linalg_solve_triangular(Tensor self, Tensor B, *, bool upper, bool left=True, bool unitriangular=False) -> Tensor"},
    .forms = function | out,
    .doc = "X with `self` X = B (X `self` = B for left=False), `self` triangular; the other triangle is not read.",
    .module = "linalg",
    .rule = structured(shape),
    .cpu = kernel,
    .grad = {wrt({"self", "B"}, [](Grad g, Wanted wanted, In<"self"> a, Out<"result"> x, In<"upper", bool> upper, In<"left", bool> left, In<"unitriangular", bool> unit) {
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
