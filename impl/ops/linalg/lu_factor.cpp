// linalg_lu_factor_ex, linalg_lu_factor, _lu_with_info: L and U in one matrix, and the row exchanges.
#include "rules/form/exact_out.h"
#include "rules/linalg/lu.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto infer_lu_factor_shape = [](Specs& out, const Tensor& a, bool, bool) {
  check(a.dim() >= 2, "torch.lu_factor: Expected tensor with 2 or more dimensions. Got size: {} instead", a.sizes());
  add_column_major(out, a.sizes(), a.dtype());
  out.add(sizes_of_vectors(batch_of(a), std::min(a.size(-2), a.size(-1))), Dtype::int32);
  out.add(batch_of(a), Dtype::int32);
};
constexpr auto compute_lu_factor = [](const Tensor& a, bool pivot, bool check_errors, Tensor& lu, Tensor& pivots, Tensor& info) {
  dispatch_lapack(a.dtype(), "lu_cpu", [](auto) {});
  check(pivot, "linalg.lu_factor: LU without pivoting is not implemented on the CPU");
  copy_broadcast_into(lu, a);
  lu_factor_in_place(lu, pivots, info);
  if (check_errors) check_info(info, "torch.linalg.lu_factor_ex", a.dim() == 2);
};

MT_OP(OpDef{
    .schema = {"linalg_lu_factor_ex(Tensor A, *, bool pivot=True, bool check_errors=False) -> (Tensor LU, Tensor "
               "pivots, Tensor info)"},
    .forms = function | out,
    .doc = R"(Computes the LU factors of each matrix in one tensor, and a code instead of an error.

As `torch.linalg.lu_factor`. A code of k says that U's k-th diagonal element is 0: the factors
are right, but cannot solve equations.

Args:
    A (Tensor): ``(*, m, n)``; float32, float64, complex64 or complex128.
    pivot (bool): whether rows are exchanged; the CPU needs it. Default: ``True``.
    check_errors (bool): whether to raise on a code other than 0. Default: ``False``.

Returns:
    tuple of Tensor: ``LU``, ``(*, m, n)``, ``pivots``, int32, ``(*, min(m, n))``, and ``info``,
        int32, ``(*)``.

Raises:
    RuntimeError: when `check_errors` is set and U has a zero on its diagonal.

Example:
    >>> torch.linalg.lu_factor_ex(torch.tensor([[1.0, 2.0], [2.0, 4.0]])).info
    tensor(2, dtype=torch.int32))",
    .module = "linalg",
    .rule = structured_exact(infer_lu_factor_shape),
    .cpu = compute_lu_factor,
    .grad = {wrt("A",
                 [](Grad g, Out<"LU"> lu, Out<"pivots"> pivots, In<"pivot", bool> pivot) {
                   const int64_t k = std::min(lu.size(-2), lu.size(-1));
                   auto parts = op<"lu_unpack", Tensors<3>>(lu, pivots, true, *pivot);
                   const Tensor gl = op<"tril">(op<"narrow">(g, -1, 0, k), -1), gu = op<"triu">(op<"narrow">(g, -2, 0, k));
                   return lu_gradient(gl, gu, *pivot ? parts[0] : Tensor(), parts[1], parts[2]);
                 })},
    .batch = batch_leading,
});
MT_OP(OpDef{
    .schema = {"linalg_lu_factor(Tensor A, *, bool pivot=True) -> (Tensor LU, Tensor pivots)"},
    .forms = function | out,
    .doc = R"(Computes the LU factors of each matrix in one tensor: A = P L U (LAPACK's getrf).

L is below the diagonal, U on and above it. Row i was exchanged with row pivots[i], counted from
1, one after the other. `torch.lu_unpack` gives P, L and U; `torch.linalg.lu_solve` solves
equations.

Args:
    A (Tensor): ``(*, m, n)``; float32, float64, complex64 or complex128.
    pivot (bool): whether rows are exchanged; the CPU needs it. Default: ``True``.

Returns:
    tuple of Tensor: ``LU``, ``(*, m, n)``, and ``pivots``, int32, ``(*, min(m, n))``.

Raises:
    RuntimeError: when U has a zero on its diagonal, or `pivot` is false on the CPU.

Example:
    >>> LU, pivots = torch.linalg.lu_factor(torch.tensor([[1.0, 2.0], [4.0, 4.0]]))
    >>> LU
    tensor([[4.0000, 4.0000],
            [0.2500, 1.0000]])
    >>> pivots
    tensor([2, 2], dtype=torch.int32))",
    .module = "linalg",
    .composite =
        [](const Tensor& a, bool pivot) {
          auto parts = op<"linalg_lu_factor_ex", Tensors<3>>(a, pivot, false);
          check_info(parts[2], "torch.linalg.lu_factor", a.dim() == 2);
          return Tensors<2>{parts[0], parts[1]};
        },
    .out_policy = OutPolicy{.recorded_as = "linalg_lu_factor_ex", .takes_strides = true},
});

std::atomic<bool> has_warned;
MT_OP(OpDef{
    .schema = {"_lu_with_info(Tensor self, bool pivot=True, bool check_errors=True) -> (Tensor LU, Tensor pivots, "
               "Tensor info)"},
    .forms = function,
    .doc = "Computes the LU factors, the row exchanges and a code. torch.lu, which is deprecated, uses it.",
    .composite =
        [](const Tensor& a, bool pivot, bool) {
          warn_once(has_warned,
                    "torch.lu is deprecated in favor of torch.linalg.lu_factor / torch.linalg.lu_factor_ex and will be "
                    "removed in a future PyTorch "
                    "release.\nLU, pivots = torch.lu(A, compute_pivots)\nshould be replaced with\nLU, pivots = "
                    "torch.linalg.lu_factor(A, "
                    "compute_pivots)\nand\nLU, pivots, info = torch.lu(A, compute_pivots, get_infos=True)\nshould be "
                    "replaced with\nLU, pivots, "
                    "info = torch.linalg.lu_factor_ex(A, compute_pivots)");
          return op<"linalg_lu_factor_ex", Tensors<3>>(a, pivot, false);
        },
});

}  // namespace
}  // namespace mt
