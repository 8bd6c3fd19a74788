// linalg_eig: eigenvalues and eigenvectors of any square matrix; always complex.
#include "rules/linalg/eigen.h"
#include "rules/linalg/svd.h"

namespace mt {
namespace {

// With V^-1 dA V = P: dL is its diagonal; dV = V (P / gaps), minus the component along each vector, whose length is fixed.
Tensor differentiate_eig(const Tensor& gl, const Tensor& gv, const Tensor& l, const Tensor& v, bool real_input) {
  if (!gl.defined() && !gv.defined()) return Tensor();
  Tensor inner;
  const Tensor vh = adjoint(v);
  if (gv.defined()) {
    const Tensor vhgv = op<"matmul">(vh, gv), d = diagonal_of(vhgv);
    check_phases(d,
                 "linalg_eig_backward: The eigenvectors in the complex case are specified up to multiplication by e^{i "
                 "phi}. The specified loss function "
                 "depends on this quantity, so it is ill-defined.");
    Tensor gaps = conj(as_row(l) - as_column(l));
    gaps = replace_diagonal(gaps, op<"ones_like">(l));
    inner = (vhgv - op<"matmul">(vh, v * as_row(op<"real">(d)))) / gaps;
    inner = replace_diagonal(inner, gl.defined() ? gl : op<"zeros_like">(l));
  }
  const Tensor right = inner.defined() ? op<"matmul">(inner, vh) : as_column(gl) * vh;
  const Tensor g = op<"linalg_solve">(vh, right);
  return real_input ? op<"real">(g) : g;
}

constexpr auto infer_eig_shape = [](Specs& out, const Tensor& a) {
  check_square("linalg.eig", a);
  out.add(IntList(a.sizes().data, a.dim() - 1), eigenvalue_dtype(a.dtype()));
  if (a.is_meta())
    out.add(a.sizes(), eigenvalue_dtype(a.dtype()));
  else
    add_column_major(out, a.sizes(), eigenvalue_dtype(a.dtype()));
};

MT_OP(OpDef{
    .schema = {"linalg_eig(Tensor self) -> (Tensor eigenvalues, Tensor eigenvectors)"},
    .forms = function | out,
    .doc = R"(Computes eigenvalues and eigenvectors of each square matrix: A V = V diag(L) (LAPACK's geev).

Both are complex even where they are real, and in no order. Eigenvectors are the columns of V, of
length 1. Their phase is arbitrary: a loss that depends on it has no gradient and raises in
backward. The gradient of V is infinite where eigenvalues are equal. For Hermitian matrices use
`torch.linalg.eigh`.

Args:
    self (Tensor): ``(*, n, n)``; float32, float64, complex64 or complex128.

Returns:
    tuple of Tensor: ``eigenvalues``, ``(*, n)``, and ``eigenvectors``, ``(*, n, n)``; complex.

Raises:
    RuntimeError: when the matrices are not square, or not finite.
    torch.linalg.LinAlgError: when the iteration does not converge.

Example:
    >>> values, vectors = torch.linalg.eig(torch.tensor([[2.0, 0.0], [0.0, 3.0]]))
    >>> values
    tensor([2.+0.j, 3.+0.j]))",
    .module = "linalg",
    .rule = structured(infer_eig_shape),
    .cpu = [](const Tensor& a, Tensor& values, Tensor& vectors) { eigen(a, values, vectors, "torch.linalg.eig"); },
    .grad = {wrt("self", [](GradOf<0> gl, GradOf<1> gv, MetaOf<"self"> a, Out<"eigenvalues"> l,
                            Out<"eigenvectors"> v) { return differentiate_eig(gl, gv, l, v, !is_complex(a.dtype)); })},
});

}  // namespace
}  // namespace mt
