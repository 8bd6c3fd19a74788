// linalg_qr, qr: factors a matrix into orthonormal columns and an upper triangle.
#include "rules/form/exact_out.h"
#include "rules/linalg/linalg.h"
#include "vmap/rule.h"

namespace mt {
namespace {

struct Mode {
  bool with_q, reduced;
};
Mode parse_mode(Text mode) {
  if (mode == "reduced") return {true, true};
  if (mode == "complete") return {true, false};
  check(mode == "r", "qr received unrecognized mode '{}' but expected one of 'reduced' (default), 'r', or 'complete'", text_arg(mode));
  return {false, true};
}

constexpr auto infer_qr_shape = [](Specs& out, const Tensor& a, Text text) {
  check_matrix("linalg.qr", a);
  check_floating("linalg.qr", a);
  const Mode mode = parse_mode(text);
  const int64_t m = a.size(-2), n = a.size(-1), k = mode.reduced ? std::min(m, n) : m;
  if (mode.with_q)
    add_column_major(out, sizes_of_matrices(batch_of(a), m, k), a.dtype());
  else
    out.add({0}, a.dtype());
  add_column_major(out, sizes_of_matrices(batch_of(a), k, n), a.dtype());
};
constexpr auto compute_qr = [](const Tensor& a, Text text, Tensor& q, Tensor& r) {
  BelowAutograd guard;
  const Mode mode = parse_mode(text);
  const int64_t m = a.size(-2), n = a.size(-1), k = std::min(m, n);
  auto factors = op<"geqrf", Tensors<2>>(a);
  copy_into(r, op<"triu">(r.size(-2) == m ? factors[0] : op<"narrow">(factors[0], -2, 0, k)));
  if (!mode.with_q || q.numel() == 0) return;
  // householder_product reads the reflectors from the columns that Q will overwrite.
  op<"zero_">(q);
  const int64_t width = std::min(q.size(-1), n);
  copy_into(op<"narrow">(q, -1, 0, width), op<"narrow">(factors[0], -1, 0, width));
  copy_into(q, op<"linalg_householder_product">(q, factors[1]));
};

// X + X^H of an upper triangle, its diagonal counted once.
Tensor make_hermitian_from_upper(const Tensor& x) {
  const Tensor upper = op<"triu">(x, 1), d = is_complex(x.dtype()) ? op<"to.dtype">(op<"real">(diagonal_of(x)), x.dtype()) : diagonal_of(x);
  return upper + adjoint(upper) + op<"diag_embed">(d);
}
// For a tall or square matrix: (gQ + Q H) R^-H, where H is the Hermitian completion of the upper triangle of gR R^H - Q^H gQ.
Tensor differentiate_tall_qr(const Tensor& gq, const Tensor& gr, const Tensor& q, const Tensor& r) {
  Tensor x;
  if (gr.defined()) x = op<"matmul">(gr, adjoint(r));
  if (gq.defined()) x = sum_of_defined(x, -op<"matmul">(adjoint(q), gq));
  const Tensor inner = sum_of_defined(gq, op<"matmul">(q, make_hermitian_from_upper(x)));
  return op<"linalg_solve_triangular">(adjoint(r), inner, false, false, false);
}
// A wide matrix [X Y] has X = Q U and Y = Q V, so the gradient of V goes to Y, and to Q through V = Q^H Y.
Tensor differentiate_qr(const Tensor& gq, const Tensor& gr, const Tensor& q, const Tensor& r, Text text) {
  const Mode mode = parse_mode(text);
  check(mode.with_q,
        "The derivative of linalg.qr depends on Q, which is not computed when mode='r'. Please use linalg.qr(A, "
        "mode='reduced') if you are going "
        "to differentiate through linalg.qr.");
  const int64_t m = q.size(-2), n = r.size(-1);
  check(mode.reduced || m <= n, "The QR decomposition is not differentiable when mode='complete' and nrows > ncols.");
  if (!gq.defined() && !gr.defined()) return Tensor();
  if (m >= n) return differentiate_tall_qr(gq, gr, q, r);
  auto first = [&](const Tensor& t) { return op<"narrow">(t, -1, 0, m); };
  auto rest = [&](const Tensor& t) { return op<"narrow">(t, -1, m, n - m); };
  if (!gr.defined()) {
    const Tensor gx = differentiate_tall_qr(gq, gr, q, first(r));
    return op<"constant_pad_nd">(gx, IntList{0, n - m}, 0);
  }
  const Tensor y = op<"matmul">(q, rest(r));
  const Tensor gx = differentiate_tall_qr(sum_of_defined(gq, op<"matmul">(y, adjoint(rest(gr)))), first(gr), q, first(r));
  return op<"cat">(std::vector<Tensor>{gx, op<"matmul">(q, rest(gr))}, -1);
}

MT_OP(OpDef{
    .schema = {"linalg_qr(Tensor A, str mode='reduced') -> (Tensor Q, Tensor R)"},
    .forms = function | out,
    .doc = R"(Computes the QR factors of each matrix: A = Q R, Q with orthonormal columns, R upper triangular.

By Householder reflectors (LAPACK's geqrf and orgqr); signs of R's diagonal are not normalised.
The gradient needs Q, the first min(m, n) columns of A to be independent, and not all of Q where
m > n.

Args:
    A (Tensor): ``(*, m, n)``; float32, float64, complex64 or complex128.
    mode (str): ``"reduced"``: Q is (m, k), R (k, n), with k = min(m, n); ``"complete"``: Q is
        (m, m), R (m, n); ``"r"``: R as for reduced, Q is empty. Default: ``"reduced"``.

Returns:
    tuple of Tensor: ``Q`` and ``R``.

Raises:
    RuntimeError: when the mode is unknown, or a gradient is asked for that does not exist.

Example:
    >>> A = torch.tensor([[3.0, 1.0], [4.0, 2.0]])
    >>> Q, R = torch.linalg.qr(A)
    >>> R.abs()
    tensor([[5.0000, 2.2000],
            [0.0000, 0.4000]])
    >>> torch.allclose(Q @ R, A)
    True)",
    .module = "linalg",
    .rule = structured_exact(infer_qr_shape),
    .cpu = compute_qr,
    .npu = {"LinalgQr(A, mode=complete|r)"},
    .grad = {wrt("A", [](GradOf<0> gq, GradOf<1> gr, Out<"Q"> q, Out<"R"> r,
                         In<"mode", Text> mode) { return differentiate_qr(gq, gr, q, r, *mode); })},
    .batch = batch_leading,
});

std::atomic<bool> has_warned;
MT_OP(OpDef{
    .schema = {"qr(Tensor self, bool some=True) -> (Tensor Q, Tensor R)"},
    .forms = function | method | out,
    .form_overloads = {{"out", "Q"}},
    .doc = R"(Computes the QR factors of each matrix.

Deprecated: `torch.linalg.qr` is the newer form.

Args:
    self (Tensor): ``(*, m, n)``; float32, float64, complex64 or complex128.
    some (bool): True for its mode ``"reduced"``, False for ``"complete"``. Default: ``True``.

Returns:
    tuple of Tensor: ``Q`` and ``R``.

Example:
    >>> Q, R = torch.qr(torch.tensor([[3.0, 1.0], [4.0, 2.0]]))
    >>> R.abs()
    tensor([[5.0000, 2.2000],
            [0.0000, 0.4000]]))",
    .composite =
        [](const Tensor& a, bool some) {
          warn_once(has_warned,
                    "torch.qr is deprecated in favor of torch.linalg.qr and will be removed in a future PyTorch "
                    "release.\nThe boolean parameter 'some' "
                    "has been replaced with a string parameter 'mode'.\nQ, R = torch.qr(A, some)\nshould be replaced "
                    "with\nQ, R = torch.linalg.qr(A, "
                    "'reduced' if some else 'complete')");
          return op<"linalg_qr", Tensors<2>>(a, some ? "reduced" : "complete");
        },
    .out_policy = OutPolicy{.recorded_as = "linalg_qr", .takes_strides = true},
});

}  // namespace
}  // namespace mt
