// linalg_cholesky, linalg_cholesky_ex, cholesky: the triangular factor of a positive-definite matrix.
#include "rules/form/checked.h"
#include "rules/form/exact_out.h"
#include "rules/linalg/linalg.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto infer_cholesky_shape = [](Specs& out, const Tensor& a, bool, bool) {
  check_square("linalg.cholesky", a);
  check_floating("linalg.cholesky", a);
  add_column_major(out, a.sizes(), a.dtype());
  out.add(batch_of(a), Dtype::int32);
};
void factor_matrices(const Tensor& a, bool upper, const Tensor& out, const Tensor& info) {
  dispatch_lapack(a.dtype(), "cholesky_cpu", [&]<class T>(Type<T>) {
    {
      BelowAutograd guard;
      op<"zero_">(info);
      copy_into(out, op<"resolve_conj">(upper ? op<"triu">(a) : op<"tril">(a)));
    }
    if (out.numel() == 0) return;
    const int n = lapack_size(a.size(-1));
    const char side = upper ? 'U' : 'L';
    for_matrices(info.numel(), double(n) * n * n / 3, [&](int64_t b) {
      T* root = matrix_at<T>(out, b);
      int& code = info.data<int>()[b];
      cpu::lapack::potrf<T>()(&side, &n, root, &n, &code, 1);
      // OpenBLAS does not report a NaN minor.
      for (int64_t j = 0; code == 0 && j < n; ++j)
        if (!(std::real(root[j + j * n]) > 0)) code = int(j + 1);
    });
  });
}
// On other devices column by column: each column's outer product is subtracted from the part below the diagonal.
void factor_column_by_column(const Tensor& a, bool upper, const Tensor& out, const Tensor& info) {
  BelowAutograd guard;
  const int64_t n = a.size(-1);
  const Tensor rest = op<"clone">(upper ? adjoint(a) : a), root = op<"zeros_like">(rest);
  op<"zero_">(info);
  for (int64_t j = 0; j < n; ++j) {
    const Tensor below = op<"narrow">(op<"select">(rest, -1, j), -1, j, n - j);
    const Tensor pivot = op<"real">(op<"narrow">(below, -1, 0, 1));
    const Tensor failed = op<"logical_and">(op<"eq">(info, 0), op<"logical_not">(op<"gt">(op<"squeeze">(pivot, -1), 0)));
    copy_into(info, op<"masked_fill">(info, failed, j + 1));
    const Tensor column = below / op<"sqrt">(pivot), tail = op<"narrow">(column, -1, 1, n - j - 1);
    op<"copy_">(op<"narrow">(op<"select">(root, -1, j), -1, j, n - j), column);
    const Tensor corner = op<"narrow">(op<"narrow">(rest, -1, j + 1, n - j - 1), -2, j + 1, n - j - 1);
    op<"sub_">(corner, op<"unsqueeze">(tail, -1) * op<"unsqueeze">(op<"conj_physical">(tail), -2));
  }
  copy_into(out, upper ? adjoint(root) : root);
}
// L^-H (P + P^H) L^-1 / 2, where P is the lower triangle of L^H g, and its diagonal counts once.
Tensor differentiate_cholesky(const Tensor& g, const Tensor& result, bool upper) {
  const Tensor lower = upper ? adjoint(result) : result, gl = upper ? adjoint(g) : g;
  const Tensor p = op<"tril">(op<"matmul">(adjoint(lower), gl));
  const Tensor both = p + adjoint(op<"tril">(p, -1));
  const Tensor half = op<"linalg_solve_triangular">(adjoint(lower), both, true, true, false);
  return op<"linalg_solve_triangular">(lower, half, false, false, false) * 0.5;
}

MT_OP(OpDef{
    .schema = {"linalg_cholesky_ex(Tensor self, *, bool upper=False, bool check_errors=False) -> (Tensor L, Tensor info)"},
    .forms = function | out,
    .form_overloads = {{"out", "L"}},
    .doc = R"(Computes the Cholesky factor of each matrix, and a code instead of an error.

As `torch.linalg.cholesky`. A code of k says that the leading minor of order k is not
positive-definite; the factor is then not to be used.

Args:
    self (Tensor): ``(*, n, n)``; float32, float64, complex64 or complex128.
    upper (bool): whether to return U with A = U^H U. Default: ``False``.
    check_errors (bool): whether to raise on a code other than 0. Default: ``False``.

Returns:
    tuple of Tensor: ``L``, with the shape of `self`, and ``info``, int32, ``(*)``.

Raises:
    torch.linalg.LinAlgError: when `check_errors` is set and a matrix is not positive-definite.

Example:
    >>> torch.linalg.cholesky_ex(torch.tensor([[1.0, 2.0], [2.0, 1.0]])).info
    tensor(2, dtype=torch.int32))",
    .module = "linalg",
    .rule = structured_exact(infer_cholesky_shape),
    .cpu =
        [](const Tensor& a, bool upper, bool check_errors, Tensor& l, Tensor& info) {
          if (a.device().is_cpu())
            factor_matrices(a, upper, l, info);
          else
            factor_column_by_column(a, upper, l, info);
          if (check_errors) check_info(info, "linalg.cholesky_ex", a.dim() == 2);
        },
    .npu = {any_device},
    .grad = {wrt("self", [](Grad g, Out<"L"> l, In<"upper", bool> upper) { return differentiate_cholesky(g, l, *upper); })},
    .batch = batch_leading,
});
MT_OP(OpDef{
    .schema = {"linalg_cholesky(Tensor self, *, bool upper=False) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes the Cholesky factor L of each positive-definite matrix: A = L L^H.

L has a real positive diagonal. Only one triangle of A is read, the lower one, or the upper one
with `upper`; A counts as Hermitian (LAPACK's potrf). The gradient is that of a Hermitian A: its
two triangles share it.

Args:
    self (Tensor): ``(*, n, n)``; float32, float64, complex64 or complex128.
    upper (bool): whether to return U with A = U^H U. Default: ``False``.

Returns:
    Tensor: the shape of `self`; the other triangle is 0.

Raises:
    torch.linalg.LinAlgError: when a matrix is not positive-definite.

Example:
    >>> torch.linalg.cholesky(torch.tensor([[4.0, 2.0], [2.0, 5.0]]))
    tensor([[2., 0.],
            [1., 2.]]))",
    .module = "linalg",
    .composite = [](const Tensor& a, bool upper) -> Tensor {
      auto both = op<"linalg_cholesky_ex", Tensors<2>>(a, upper, false);
      check_info(both[1], "linalg.cholesky", a.dim() == 2);
      return both[0];
    },
    .out_policy = OutPolicy{.device_error = out_device_differs, .recorded_as = "linalg_cholesky_ex", .takes_strides = true},
});

std::atomic<bool> has_warned;
void warn_of_old_name(const Call& call) {
  if (call.keys & key_bit(Key::meta)) return;
  warn_once(has_warned,
            "torch.cholesky is deprecated in favor of torch.linalg.cholesky and will be removed in a future "
            "PyTorch release.\nL = "
            "torch.cholesky(A)\nshould be replaced with\nL = torch.linalg.cholesky(A)\nand\nU = "
            "torch.cholesky(A, upper=True)\nshould be "
            "replaced with\nU = torch.linalg.cholesky(A).mH\nThis transform will produce equivalent results "
            "for all valid (symmetric positive "
            "definite) inputs.");
}
constexpr auto infer_shape_of_old_name = [](Specs& out, const Tensor& a, bool) {
  if (a.dim() >= 2 && a.numel() == 0) return out.add(a.sizes(), a.dtype());
  check_square("cholesky", a);
  add_column_major(out, a.sizes(), a.dtype());
};
MT_OP(OpDef{
    .schema = {"cholesky(Tensor self, bool upper=False) -> Tensor"},
    .forms = function | method | out,
    .doc = R"(Computes the Cholesky factor of each positive-definite matrix.

Deprecated: `torch.linalg.cholesky` is the newer form.

Args:
    self (Tensor): ``(*, n, n)``; float32, float64, complex64 or complex128.
    upper (bool): whether to return U with A = U^H U rather than L with A = L L^H. Default:
        ``False``.

Returns:
    Tensor: the shape of `self`; the other triangle is 0.

Raises:
    torch.linalg.LinAlgError: when a matrix is not positive-definite.

Example:
    >>> torch.cholesky(torch.tensor([[4.0, 2.0], [2.0, 5.0]]))
    tensor([[2., 0.],
            [1., 2.]]))",
    .rule = rule_after_check(warn_of_old_name, structured(infer_shape_of_old_name)),
    .cpu =
        [](const Tensor& a, bool upper, Tensor& out) {
          const Tensor info = empty(batch_of(a), Dtype::int32, a.device());
          (a.device().is_cpu() ? factor_matrices : factor_column_by_column)(a, upper, out, info);
          check_info(info, "cholesky", a.dim() == 2);
        },
    .npu = {any_device},
    .grad = {wrt("self", [](Grad g, Out<"result"> l, In<"upper", bool> upper) { return differentiate_cholesky(g, l, *upper); })},
    .no_forward = true,
    .out_policy = OutPolicy{.dtype_error = "cholesky: Expected result to be safely castable from {} dtype, but got result with dtype {}"},
});

}  // namespace
}  // namespace mt
