// _linalg_eigh, linalg_eigh, linalg_eigvalsh: eigenvalues and eigenvectors of symmetric and Hermitian matrices.
#include "autograd/forward.h"
#include "rules/form/exact_out.h"
#include "rules/linalg/svd.h"
#include "vmap/rule.h"

namespace mt {
namespace {

char parse_uplo(Text uplo) {
  const char side = uplo.size == 1 ? char(uplo.data[0] & ~32) : ' ';
  check(side == 'L' || side == 'U', "Expected UPLO argument to be 'L' or 'U', but got {}", text_arg(uplo));
  return side;
}
constexpr auto infer_eigh_shape = [](Specs& out, const Tensor& a, Text uplo, bool vectors) {
  check_square("linalg.eigh", a);
  parse_uplo(uplo);
  out.add(IntList(a.sizes().data, a.dim() - 1), real_of(a.dtype()));
  if (vectors)
    add_column_major(out, a.sizes(), a.dtype());
  else
    out.add({0}, a.dtype());
};
constexpr auto compute_eigh = [](const Tensor& a, Text uplo, bool with_vectors, Tensor& values, Tensor& vectors) {
  dispatch_lapack(a.dtype(), "linalg_eigh_cpu", [&]<class T>(Type<T>) {
    using R = cpu::lapack::Real<T>;
    if (a.numel() == 0) return;
    const Tensor x = with_vectors ? vectors : column_major_copy(a, a.sizes());
    if (with_vectors) copy_broadcast_into(x, a);
    const Tensor info = empty(batch_of(a), Dtype::int32);
    const char job = with_vectors ? 'V' : 'N', side = parse_uplo(uplo);
    const int n = lapack_size(a.size(-1)), query = -1;
    auto run = [&](T* matrix, R* w, T* work, const int* lwork, R* rwork, const int* lrwork, int* iwork, const int* liwork, int* code) {
      if constexpr (is_lapack_complex<T>)
        cpu::lapack::heevd<T>()(&job, &side, &n, matrix, &n, w, work, lwork, rwork, lrwork, iwork, liwork, code, 1, 1);
      else
        cpu::lapack::syevd<T>()(&job, &side, &n, matrix, &n, w, work, lwork, iwork, liwork, code, 1, 1), (void)rwork, (void)lrwork;
    };
    T work_answer{};
    R real_answer{};
    int integer_answer = 0, code = 0;
    run(nullptr, nullptr, &work_answer, &query, &real_answer, &query, &integer_answer, &query, &code);
    const int lwork = workspace_size(work_answer), lrwork = workspace_size(real_answer), liwork = std::max(1, integer_answer);
    for_matrices(info.numel(), 9.0 * n * n * n, [&](int64_t i) {
      T* matrix = matrix_at<T>(x, i);
      if (!all_finite(matrix, int64_t(n) * n)) {  // the iteration might not converge
        info.data<int>()[i] = std::max(1, n - (with_vectors ? 1 : 2));
        return;
      }
      std::vector<T> work(static_cast<size_t>(lwork));
      std::vector<R> rwork(static_cast<size_t>(lrwork));
      std::vector<int> iwork(static_cast<size_t>(liwork));
      run(matrix, values.data<R>() + i * n, work.data(), &lwork, rwork.data(), &lrwork, iwork.data(), &liwork, &info.data<int>()[i]);
    });
    check_info(info, "linalg.eigh", a.dim() == 2);
  });
};

// With P = V^H dA V: dL is its diagonal; V^H dV is its other elements divided by the differences of eigenvalues.
Tensor differentiate_eigh(const Tensor& gl, const Tensor& gv, const Tensor& l, const Tensor& v) {
  if (!gl.defined() && !gv.defined()) return Tensor();
  check(v.dim() >= 2, "The derivative of the eigenvalues depends on the eigenvectors, which are not computed when compute_v=False.");
  if (!gv.defined()) return op<"matmul">(v * as_row(gl), adjoint(v));
  const Tensor vhgv = op<"matmul">(adjoint(v), gv);
  check_phases(diagonal_of(vhgv),
               "linalg_eigh_backward: The eigenvectors in the complex case are specified up to multiplication by e^{i "
               "phi}. The specified loss function "
               "depends on this quantity, so it is ill-defined.");
  Tensor gaps = as_row(l) - as_column(l);
  gaps = replace_diagonal(gaps, op<"ones_like">(l));
  Tensor p = (vhgv - adjoint(vhgv)) / (gaps * 2);
  const Tensor d = gl.defined() ? op<"to.dtype">(gl, p.dtype()) : op<"zeros_like">(diagonal_of(p));
  p = replace_diagonal(p, d);
  return op<"matmul">(v, op<"matmul">(p, adjoint(v)));
}

MT_OP(OpDef{
    .schema = {"_linalg_eigh(Tensor A, str UPLO=\"L\", bool compute_v=True) -> (Tensor eigenvalues, Tensor eigenvectors)"},
    .forms = function | out,
    .form_overloads = {{"out", "eigenvalues"}},
    .doc = R"(Computes eigenvalues of Hermitian matrices, and with `compute_v` eigenvectors.

It serves linalg_eigh and linalg_eigvalsh.)",
    .rule = structured_exact(infer_eigh_shape),
    .cpu = compute_eigh,
    .grad = {wrt("A",
                 [](GradOf<0> gl, GradOf<1> gv, Out<"eigenvalues"> l, Out<"eigenvectors"> v) { return differentiate_eigh(gl, gv, l, v); })},
    .grad_name = "LinalgEighBackward0",
    .batch = batch_leading,
});
MT_OP(OpDef{
    .schema = {"linalg_eigh(Tensor self, str UPLO=\"L\") -> (Tensor eigenvalues, Tensor eigenvectors)"},
    .forms = function | out,
    .form_overloads = {{"out", "eigvals(eigvals, eigvecs)"}},
    .doc = R"(Computes eigenvalues and eigenvectors of each Hermitian (or real symmetric) matrix.

A = V diag(L) V^H. Eigenvalues are real and rising; eigenvectors are the orthonormal columns of V
(LAPACK's syevd and heevd). Only one triangle is read. Signs and phases of eigenvectors are
arbitrary: a loss that depends on a phase raises in backward. The gradient of V is infinite where
eigenvalues are equal.

Args:
    self (Tensor): ``(*, n, n)``; float32, float64, complex64 or complex128.
    UPLO (str): ``"L"`` or ``"U"``: the triangle to read. Default: ``"L"``.

Returns:
    tuple of Tensor: ``eigenvalues``, ``(*, n)``, real, and ``eigenvectors``, ``(*, n, n)``.

Raises:
    RuntimeError: when the matrices are not square, or `UPLO` is another letter.
    torch.linalg.LinAlgError: when the iteration does not converge.

Example:
    >>> values, vectors = torch.linalg.eigh(torch.tensor([[2.0, 1.0], [1.0, 2.0]]))
    >>> values
    tensor([1., 3.])
    >>> (vectors @ torch.diag(values) @ vectors.mT).round(decimals=4)
    tensor([[2., 1.],
            [1., 2.]]))",
    .module = "linalg",
    .composite = [](const Tensor& a, Text uplo) { return op<"_linalg_eigh", Tensors<2>>(a, uplo, true); },
    .out_policy = OutPolicy{.recorded_as = "_linalg_eigh", .takes_strides = true},
});
MT_OP(OpDef{
    .schema = {"linalg_eigvalsh(Tensor self, str UPLO=\"L\") -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes the eigenvalues of each Hermitian (or real symmetric) matrix, rising.

As `torch.linalg.eigh` without the eigenvectors, which are computed for a gradient only.

Args:
    self (Tensor): ``(*, n, n)``; float32, float64, complex64 or complex128.
    UPLO (str): ``"L"`` or ``"U"``: the triangle to read. Default: ``"L"``.

Returns:
    Tensor: ``(*, n)``; real.

Example:
    >>> torch.linalg.eigvalsh(torch.tensor([[2.0, 1.0], [1.0, 2.0]]))
    tensor([1., 3.]))",
    .module = "linalg",
    // The gradient needs the eigenvectors.
    .composite = [](const Tensor& a, Text uplo) -> Tensor { return op<"_linalg_eigh", Tensors<2>>(a, uplo, needs_derivative(a))[0]; },
    .out_policy = OutPolicy{.recorded_as = "_linalg_eigh"},
});

}  // namespace
}  // namespace mt
