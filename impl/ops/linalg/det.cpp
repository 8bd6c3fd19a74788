// _linalg_det, linalg_det, det: the determinant.
#include "core/backend.h"
#include "rules/form/exact_out.h"
#include "rules/linalg/lu.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto infer_det_shape = [](Specs& out, const Tensor& a) {
  check_square("linalg.det", a);
  check_floating("linalg.det", a);
  out.add(batch_of(a), a.dtype());
  add_column_major(out, a.sizes(), a.dtype());
  out.add(IntList(a.sizes().data, a.dim() - 1), Dtype::int32);
};
constexpr auto compute_det = [](const Tensor& a, Tensor& result, Tensor& lu, Tensor& pivots) {
  if (a.numel() == 0) {
    BelowAutograd guard;
    op<"fill_">(result, 1);
    return;
  }
  const Tensor info = empty(batch_of(a), Dtype::int32);
  copy_broadcast_into(lu, a);
  lu_factor_in_place(lu, pivots, info);
  const int64_t n = a.size(-1);
  dispatch_lapack(a.dtype(), "lu_cpu", [&]<class T>(Type<T>) {
    for (int64_t b = 0; b < info.numel(); ++b) {
      T value(static_cast<cpu::lapack::Real<T>>(pivot_sign(pivots.data<int>() + b * n, n)));
      for (int64_t i = 0; i < n; ++i) value *= matrix_at<T>(lu, b)[i + i * n];
      static_cast<T*>(result.data())[b] = value;
    }
  });
};

// For each value the product of all others, without a division: the product of those before it times the product of those after it.
Tensor products_of_others(const Tensor& s) {
  const Tensor one = op<"ones_like">(op<"narrow">(s, -1, 0, 1)), less = op<"narrow">(s, -1, 0, s.size(-1) - 1);
  const Tensor turned = op<"narrow">(op<"flip">(s, IntList{-1}), -1, 0, s.size(-1) - 1);
  const Tensor before = op<"cumprod">(op<"cat">(std::vector<Tensor>{one, less}, -1), -1);
  const Tensor after = op<"cumprod">(op<"cat">(std::vector<Tensor>{one, turned}, -1), -1);
  return before * op<"flip">(after, IntList{-1});
}

// The gradient conj(det) A^-H g. If A is singular, the adjugate matrix, computed from A's singular values, takes the place of det A^-1.
// Unless the gradient is differentiated again, torch instead replaces zeros on U's diagonal by machine epsilon.
Tensor differentiate_det(const Tensor& g, const Tensor& a, const Tensor& det, const Tensor& lu, const Tensor& pivots) {
  if (a.numel() == 0) return op<"zeros_like">(a);
  const bool singular = !a.is_meta() && on_host(op<"any">(op<"eq">(op<"detach">(det), 0))).data<bool>()[0];
  if (!singular || !thread_state.grad_mode) {
    const Tensor scaled = op<"diag_embed">(op<"expand">(as_column(g * conj(det)), IntList(a.sizes().data, a.dim() - 1)));
    if (!singular) return solve_adjoint(a, lu, pivots, scaled, true);
    const Tensor d = diagonal_of(lu);
    const Tensor step = op<"masked_fill">(op<"zeros_like">(d), op<"eq">(d, 0), machine_epsilon(a.dtype()));
    return op<"linalg_lu_solve">(lu + op<"diag_embed">(step), pivots, scaled, true, true);
  }
  auto parts = op<"linalg_svd", Tensors<3>>(a, false);
  const Tensor turn = conj(op<"linalg_det">(parts[0]) * op<"linalg_det">(parts[2])) * g;
  const Tensor cofactors = as_column(turn) * products_of_others(parts[1]);
  return op<"matmul">(parts[0] * as_row(cofactors), parts[2]);
}

MT_OP(OpDef{
    .schema = {"_linalg_det(Tensor A) -> (Tensor result, Tensor LU, Tensor pivots)"},
    .forms = function | out,
    .form_overloads = {{"out", "result"}},
    .doc = "Computes the determinant with the LU factors that gave it. linalg_det and its gradient use them.",
    .rule = structured_exact(infer_det_shape),
    .cpu = compute_det,
    .grad = {wrt("A", [](GradOf<0> g, In<"A"> a, Out<"result"> det, Out<"LU"> lu,
                         Out<"pivots"> pivots) { return g.defined() ? differentiate_det(g, a, det, lu, pivots) : Tensor(); })},
    .grad_name = "LinalgDetBackward0",
    .batch = batch_leading,
});
MT_OP(OpDef{
    .schema = {"linalg_det(Tensor A) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes the determinant of each square matrix, by its LU factors (LAPACK's getrf).

The determinant of an empty matrix is 1. The gradient is det(A) A^-H; at singular matrices it
comes from slightly changed factors and may be rounded to 0. `torch.linalg.slogdet` neither
overflows nor underflows.

Args:
    A (Tensor): ``(*, n, n)``; float32, float64, complex64 or complex128.

Returns:
    Tensor: ``(*)``, in the dtype of `A`.

Raises:
    RuntimeError: when the matrices are not square or not floating.

Example:
    >>> torch.linalg.det(torch.tensor([[4.0, 2.0], [2.0, 5.0]]))
    tensor(16.))",
    .module = "linalg",
    .composite = [](const Tensor& a) -> Tensor { return op<"_linalg_det", Tensors<3>>(a)[0]; },
    .out_policy = OutPolicy{.device_error = out_device_differs, .recorded_as = "_linalg_det"},
});
MT_OP(OpDef{
    .schema = {"det(Tensor self) -> Tensor"},
    .forms = function | method,
    .doc = R"(Computes the determinant of each square matrix. It is an older name of `torch.linalg.det`.

Args:
    self (Tensor): ``(*, n, n)``; float32, float64, complex64 or complex128.

Returns:
    Tensor: ``(*)``, in the dtype of `self`.

Example:
    >>> torch.det(torch.tensor([[4.0, 2.0], [2.0, 5.0]]))
    tensor(16.))",
    .composite = [](const Tensor& a) -> Tensor { return op<"linalg_det">(a); },
});

}  // namespace
}  // namespace mt
