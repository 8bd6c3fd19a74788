// linalg_lu: factors a matrix into a permutation, a lower and an upper triangle.
#include "rules/linalg/lu.h"
#include "rules/form/exact_out.h"

namespace mt {
namespace {

constexpr auto infer_lu_shape = [](Specs& out, const Tensor& a, bool pivot) {
  check(a.dim() >= 2, "linalg.lu: Expected tensor with 2 or more dimensions. Got size: {} instead", a.sizes());
  const int64_t m = a.size(-2), n = a.size(-1), k = std::min(m, n);
  out.add(pivot ? sizes_of_matrices(batch_of(a), m, m) : Dims{0}, a.dtype());
  out.add(sizes_of_matrices(batch_of(a), m, k), a.dtype());
  out.add(sizes_of_matrices(batch_of(a), k, n), a.dtype());
};

MT_OP(OpDef{
    .schema = {"linalg_lu(Tensor A, *, bool pivot=True) -> (Tensor P, Tensor L, Tensor U)"},
    .forms = function | out,
    .doc = R"(Computes the LU factors of each matrix: A = P L U, with exchanges of rows (LAPACK's getrf).

P is a permutation matrix, L has ones on its diagonal and zeros above, U zeros below. P has no
gradient; those of L and U need the leading square part to be invertible.

Args:
    A (Tensor): ``(*, m, n)``; float32, float64, complex64 or complex128.
    pivot (bool): whether rows are exchanged; without, P is empty, and the CPU has no kernel.
        Default: ``True``.

Returns:
    tuple of Tensor: ``P``, ``(*, m, m)``, ``L``, ``(*, m, k)``, and ``U``, ``(*, k, n)``, with k
        = min(m, n).

Example:
    >>> P, L, U = torch.linalg.lu(torch.tensor([[1.0, 2.0], [4.0, 4.0]]))
    >>> P
    tensor([[0., 1.],
            [1., 0.]])
    >>> L
    tensor([[1.0000, 0.0000],
            [0.2500, 1.0000]])
    >>> U
    tensor([[4., 4.],
            [0., 1.]]))",
    .module = "linalg",
    .rule = structured_exact(infer_lu_shape),
    .cpu =
        [](const Tensor& a, bool pivot, Tensor& p, Tensor& l, Tensor& u) {
          BelowAutograd guard;
          auto factors = op<"linalg_lu_factor_ex", Tensors<3>>(a, pivot, false);
          auto parts = op<"lu_unpack", Tensors<3>>(factors[0], factors[1], true, pivot);
          if (pivot) copy_into(p, parts[0]);
          copy_into(l, parts[1]);
          copy_into(u, parts[2]);
        },
    .grad = {wrt("A", [](GradOf<1> gl, GradOf<2> gu, Out<"P"> p, Out<"L"> l, Out<"U"> u,
                         In<"pivot", bool> pivot) { return lu_gradient(gl, gu, *pivot ? Tensor(p) : Tensor(), l, u); })},
});

}  // namespace
}  // namespace mt
