// linalg_cholesky, linalg_cholesky_ex, cholesky: the triangular root of a positive-definite matrix.
#include "rules/linalg.h"

namespace mt {
namespace {

constexpr auto shape = [](Specs& out, const Tensor& a, bool, bool) {
  check_square("linalg.cholesky", a);
  check_linalg_dtype("linalg.cholesky", a);
  out.add_strided(a.sizes(), column_major(a.sizes()), a.dtype());
  out.add(IntList(a.sizes().data, a.dim() - 2), Dtype::int32);
};
// Raises for the first matrix that is not positive-definite.
void check_info(const Tensor& info) {
  if (info.is_meta()) return;
  for (int64_t i = 0; i < info.numel(); ++i) {
    const int64_t order = info.data<int32_t>()[i];
    if (order == 0) continue;
    if (info.dim() == 0)
      fail(ErrorKind::linalg, "linalg.cholesky: The factorization could not be completed because the input is not positive-definite (the leading minor of order {} is not positive-definite).", order);
    fail(ErrorKind::linalg, "linalg.cholesky: (Batch element {}): The factorization could not be completed because the input is not positive-definite (the leading minor of order {} is not positive-definite).", i, order);
  }
}
constexpr auto kernel = [](const Tensor& a, bool upper, bool check_errors, Tensor& out, Tensor& info) {
  const int n = int(a.size(-1));
  const int64_t batch = info.numel();
  {
    BelowAutograd guard;
    Tensor half = upper ? op<"triu">(a) : op<"tril">(a);
    copy_into(out, op<"resolve_conj">(half));
  }
  dispatch_lapack(a.dtype(), "cholesky_cpu", [&]<class T>(Type<T>) {
    const char side = upper ? 'U' : 'L';
    for (int64_t b = 0; b < batch; ++b) {
      int result = 0;
      if (n > 0) cpu::lapack::potrf<T>()(&side, &n, static_cast<T*>(out.data()) + b * n * n, &n, &result, 1);
      info.data<int32_t>()[b] = result;
    }
  });
  if (check_errors) check_info(info);
};
// With L the root: g L^H's lower half, its diagonal halved, between inverses of L, and the Hermitian part of that.
Tensor gradient(const Tensor& g, const Tensor& result, bool upper) {
  const Tensor lower = upper ? adjoint(result) : result, gl = upper ? adjoint(g) : g;
  Tensor p = op<"tril">(op<"matmul">(adjoint(lower), gl));
  p = p - op<"diag_embed">(op<"diagonal">(p, 0, -2, -1) * 0.5);
  Tensor m = op<"linalg_solve_triangular">(adjoint(lower), p, true, true, false);
  m = op<"linalg_solve_triangular">(lower, m, false, false, false);
  return (m + adjoint(m)) * 0.5;
}

MT_OP(OpDef{
    .schema = {"linalg_cholesky_ex(Tensor self, *, bool upper=False, bool check_errors=False) -> (Tensor L, Tensor info)"},
    .forms = function | out,
    .doc = "L with L L^H = self (or U with U^H U), and for each matrix 0 or the order of the minor that is not positive-definite.",
    .module = "linalg",
    .rule = structured(shape),
    .cpu = kernel,
    .grad = {wrt("self", [](Grad g, Out<"L"> l, In<"upper", bool> upper) { return gradient(g, l, *upper); })},
});
MT_OP(OpDef{
    .schema = {"linalg_cholesky(Tensor self, *, bool upper=False) -> Tensor"},
    .forms = function | out,
    .doc = "The triangular root; LinAlgError where a matrix is not positive-definite.",
    .module = "linalg",
    .composite = [](const Tensor& a, bool upper) -> Tensor {
      auto both = op<"linalg_cholesky_ex", Tensors<2>>(a, upper, false);
      check_info(both[1]);
      return both[0];
    },
});
MT_OP(OpDef{
    .schema = {"cholesky(Tensor self, bool upper=False) -> Tensor"},
    .forms = function | method | out,
    .doc = "linalg_cholesky's older name.",
    .composite = [](const Tensor& a, bool upper) -> Tensor { return op<"linalg_cholesky">(a, upper); },
});

}  // namespace
}  // namespace mt
