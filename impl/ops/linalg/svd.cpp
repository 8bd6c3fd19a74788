// _linalg_svd, linalg_svd, linalg_svdvals, svd: singular values and vectors.
#include "rules/linalg/svd.h"
#include "autograd/forward.h"
#include "rules/form/exact_out.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto infer_svd_shape = [](Specs& out, const Tensor& a, bool full, bool vectors, std::optional<Text> driver) {
  check_matrix("linalg.svd", a);
  check_floating("linalg.svd", a);
  check(!driver, "torch.linalg.svd: keyword argument `driver=` is only supported on CUDA inputs with cuSOLVER backend.");
  const int64_t m = a.size(-2), n = a.size(-1), k = std::min(m, n);
  if (vectors)
    add_column_major(out, sizes_of_matrices(batch_of(a), m, full ? m : k), a.dtype());
  else
    out.add({0}, a.dtype());
  out.add(sizes_of_vectors(batch_of(a), k), real_of(a.dtype()));
  if (vectors)
    add_column_major(out, sizes_of_matrices(batch_of(a), full ? n : k, n), a.dtype());
  else
    out.add({0}, a.dtype());
};
void fill_identity(const Tensor& t) {
  BelowAutograd guard;
  op<"zero_">(t);
  op<"fill_">(diagonal_of(t), 1);
}
constexpr auto compute_svd = [](const Tensor& a, bool full, bool vectors, std::optional<Text>, Tensor& u, Tensor& s, Tensor& vh) {
  if (a.numel() == 0) {
    if (vectors) fill_identity(u), fill_identity(vh);
    return;
  }
  dispatch_lapack(a.dtype(), "linalg_svd_cpu", [](auto) {});
  const Tensor info = empty(batch_of(a), Dtype::int32);
  singular_values(a, !vectors ? 'N' : full ? 'A' : 'S', u, s, vh, info);
  check_info(info, "linalg.svd", a.dim() == 2);
};

MT_OP(OpDef{
    .schema = {"_linalg_svd(Tensor A, bool full_matrices=False, bool compute_uv=True, *, str? driver=None) -> (Tensor "
               "U, Tensor S, Tensor Vh)"},
    .forms = function | out,
    .form_overloads = {{"out", "U"}},
    .doc = R"(Computes singular values, and with `compute_uv` vectors.

It serves linalg_svd and linalg_svdvals.)",
    .rule = structured_exact(infer_svd_shape),
    .cpu = compute_svd,
    .npu = {"Svd(A, full_matrices, compute_uv, out.1, out.0, out.2:t)"},
    .grad = {wrt("A", [](GradOf<0> gu, GradOf<1> gs, GradOf<2> gvh, Out<"U"> u, Out<"S"> s, Out<"Vh"> vh,
                         In<"full_matrices", bool> full) { return svd_gradient(gu, gs, gvh, u, s, vh, *full); })},
    .grad_name = "LinalgSvdBackward0",
    .batch = batch_leading,
});
MT_OP(OpDef{
    .schema = {"linalg_svd(Tensor A, bool full_matrices=True, *, str? driver=None) -> (Tensor U, Tensor S, Tensor Vh)"},
    .forms = function | out,
    .form_overloads = {{"out", "U"}},
    .doc = R"(Computes the singular value decomposition of each matrix: A = U diag(S) V^H (LAPACK's gesdd).

S is falling and not negative; U and V have orthonormal columns, whose signs or phases are
arbitrary in pairs: a loss that depends on a phase raises in backward. The gradients of U and V
are infinite where singular values are equal, and need `full_matrices` to be false unless the
matrices are square.

Args:
    A (Tensor): ``(*, m, n)``; float32, float64, complex64 or complex128.
    full_matrices (bool): whether U is (m, m) and V^H (n, n) rather than (m, k) and (k, n), with
        k = min(m, n). Default: ``True``.
    driver (str, optional): has to be None on the CPU. Default: ``None``.

Returns:
    tuple of Tensor: ``U``, ``S``, ``(*, k)``, real, and ``Vh``.

Raises:
    torch.linalg.LinAlgError: when the iteration does not converge.

Example:
    >>> A = torch.tensor([[3.0, 0.0], [0.0, 4.0], [0.0, 0.0]])
    >>> U, S, Vh = torch.linalg.svd(A, full_matrices=False)
    >>> S
    tensor([4., 3.])
    >>> torch.allclose(U @ torch.diag(S) @ Vh, A)
    True)",
    .module = "linalg",
    .composite = [](const Tensor& a, bool full,
                    std::optional<Text> driver) { return op<"_linalg_svd", Tensors<3>>(a, full, true, driver); },
    .out_policy = OutPolicy{.recorded_as = "_linalg_svd", .takes_strides = true},
});
MT_OP(OpDef{
    .schema = {"linalg_svdvals(Tensor A, *, str? driver=None) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes the singular values of each matrix, falling.

As `torch.linalg.svd` without the vectors, which are computed for a gradient only.

Args:
    A (Tensor): ``(*, m, n)``; float32, float64, complex64 or complex128.
    driver (str, optional): has to be None on the CPU. Default: ``None``.

Returns:
    Tensor: ``(*, min(m, n))``; real.

Example:
    >>> torch.linalg.svdvals(torch.tensor([[3.0, 0.0], [0.0, 4.0]]))
    tensor([4., 3.]))",
    .module = "linalg",
    // The gradient needs the singular vectors.
    .composite = [](const Tensor& a, std::optional<Text> driver) -> Tensor {
      return op<"_linalg_svd", Tensors<3>>(a, false, needs_derivative(a), driver)[1];
    },
    .out_policy = OutPolicy{.device_error = out_device_differs, .recorded_as = "_linalg_svd"},
});

MT_OP(OpDef{
    .schema = {"svd(Tensor self, bool some=True, bool compute_uv=True) -> (Tensor U, Tensor S, Tensor V)"},
    .forms = function | method | out,
    .form_overloads = {{"out", "U"}},
    .doc = R"(Computes the singular value decomposition of each matrix: A = U diag(S) V^H.

An older form of `torch.linalg.svd`, which returns V^H instead of V.

Args:
    self (Tensor): ``(*, m, n)``; float32, float64, complex64 or complex128.
    some (bool): whether to leave out the columns of U and V beyond min(m, n). Default: ``True``.
    compute_uv (bool): whether to compute U and V; otherwise they are zeros. Default: ``True``.

Returns:
    tuple of Tensor: ``U``, ``S`` and ``V``.

Example:
    >>> torch.svd(torch.tensor([[3.0, 0.0], [0.0, 4.0]])).S
    tensor([4., 3.]))",
    .composite =
        [](const Tensor& a, bool some, bool vectors) {
          check(a.dim() >= 2, "linalg.svd: input should have at least 2 dimensions, but has {} dimensions instead", a.dim());
          if (vectors) {
            auto all = op<"linalg_svd", Tensors<3>>(a, !some);
            return Tensors<3>{all[0], all[1], adjoint(all[2])};
          }
          const int64_t m = a.size(-2), n = a.size(-1);
          const Tensor u = op<"zeros">(sizes_of_matrices(batch_of(a), m, m), a.dtype(), nullptr, a.device());
          const Tensor v = op<"zeros">(sizes_of_matrices(batch_of(a), n, n), a.dtype(), nullptr, a.device());
          return Tensors<3>{u, op<"linalg_svdvals">(a), op<"transpose">(v, -2, -1)};
        },
    .out_policy = OutPolicy{.recorded_as = "_linalg_svd", .takes_strides = true},
});

}  // namespace
}  // namespace mt
