// _linalg_slogdet, linalg_slogdet, slogdet, logdet: the determinant as a sign and a logarithm.
#include "rules/form/exact_out.h"
#include "rules/linalg/lu.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto infer_slogdet_shape = [](Specs& out, const Tensor& a) {
  check_square("linalg.slogdet", a);
  check_linalg_dtype("linalg.slogdet", a);
  out.add(batch_of(a), a.dtype());
  out.add(batch_of(a), real_of(a.dtype()));
  add_column_major(out, a.sizes(), a.dtype());
  out.add(IntList(a.sizes().data, a.dim() - 1), Dtype::int32);
};
constexpr auto compute_slogdet = [](const Tensor& a, Tensor& sign, Tensor& logarithm, Tensor& lu, Tensor& pivots) {
  const Tensor info = empty(batch_of(a), Dtype::int32);
  copy_broadcast_into(lu, a);
  lu_factor_in_place(lu, pivots, info);
  const int64_t n = a.size(-1);
  dispatch_lapack(a.dtype(), "lu_cpu", [&]<class T>(Type<T>) {
    using R = cpu::lapack::Real<T>;
    for (int64_t b = 0; b < info.numel(); ++b) {
      T turn(static_cast<R>(pivot_sign(pivots.data<int>() + b * n, n)));
      R sum = 0;
      for (int64_t i = 0; i < n; ++i) {
        const T d = matrix_at<T>(lu, b)[i + i * n];
        const R size = std::abs(d);
        if constexpr (is_lapack_complex<T>)
          turn = size == 0 ? T(0) : turn * (d / size);
        else
          turn = size == 0 ? T(0) : d < 0 ? -turn : d > 0 ? turn : d * turn;
        sum += std::log(size);
      }
      static_cast<T*>(sign.data())[b] = turn;
      static_cast<R*>(logarithm.data())[b] = sum;
    }
  });
};

// A^-H times the gradient of log(det), whose imaginary part rotates the sign.
Tensor differentiate_slogdet(const Tensor& g_sign, const Tensor& g_log, const Tensor& a, const Tensor& sign, const Tensor& lu,
                             const Tensor& pivots) {
  Tensor g = g_log;
  if (is_complex(a.dtype())) {
    if (g_sign.defined()) {
      const Tensor turned = op<"imag">(conj(g_sign) * sign);
      const Tensor real = g_log.defined() ? g_log : op<"zeros_like">(turned);
      g = real - turned * Scalar(Complex<double>(0, 1));
    } else if (g.defined()) {
      g = op<"to.dtype">(g, a.dtype());
    }
  }
  if (!g.defined()) return Tensor();
  const Tensor d = op<"diag_embed">(op<"expand">(as_column(g), IntList(a.sizes().data, a.dim() - 1)));
  return solve_adjoint(a, lu, pivots, d, true);
}

MT_OP(OpDef{
    .schema = {"_linalg_slogdet(Tensor A) -> (Tensor sign, Tensor logabsdet, Tensor LU, Tensor pivots)"},
    .forms = function | out,
    .form_overloads = {{"out", "sign"}},
    .doc = R"(Computes the determinant's sign and logarithm with the LU factors behind them.

It serves linalg_slogdet.)",
    .rule = structured_exact(infer_slogdet_shape),
    .cpu = compute_slogdet,
    .grad = {wrt("A", [](GradOf<0> g_sign, GradOf<1> g_log, In<"A"> a, Out<"sign"> sign, Out<"LU"> lu,
                         Out<"pivots"> pivots) { return differentiate_slogdet(g_sign, g_log, a, sign, lu, pivots); })},
    .grad_name = "LinalgSlogdetBackward0",
    .batch = batch_leading,
});
MT_OP(OpDef{
    .schema = {"linalg_slogdet(Tensor A) -> (Tensor sign, Tensor logabsdet)"},
    .forms = function | out,
    .doc = R"(Computes the sign and the logarithm of the absolute value of each matrix's determinant.

det(A) = sign * exp(logabsdet), without overflow and underflow. The sign of a complex matrix is a
number of modulus 1. A singular matrix has the sign 0 and the logarithm -inf. The gradient of
logabsdet is A^-H.

Args:
    A (Tensor): ``(*, n, n)``; float32, float64, complex64 or complex128.

Returns:
    tuple of Tensor: ``sign``, in the dtype of `A`, and ``logabsdet``, real; ``(*)`` each.

Raises:
    RuntimeError: when the matrices are not square or not floating.

Example:
    >>> sign, logabsdet = torch.linalg.slogdet(torch.tensor([[0.0, 1.0], [1.0, 0.0]]))
    >>> sign, logabsdet
    (tensor(-1.), tensor(0.)))",
    .module = "linalg",
    .composite =
        [](const Tensor& a) {
          auto all = op<"_linalg_slogdet", Tensors<4>>(a);
          return Tensors<2>{all[0], all[1]};
        },
    .out_policy = OutPolicy{.recorded_as = "_linalg_slogdet", .takes_strides = true},
});
MT_OP(OpDef{
    .schema = {"slogdet(Tensor self) -> (Tensor sign, Tensor logabsdet)"},
    .forms = function | method | out,
    .doc = R"(Computes the sign and the logarithm of the absolute value of each matrix's determinant.

It is an older name of `torch.linalg.slogdet`.

Args:
    self (Tensor): ``(*, n, n)``; float32, float64, complex64 or complex128.

Returns:
    tuple of Tensor: ``sign`` and ``logabsdet``, ``(*)`` each.

Example:
    >>> torch.slogdet(torch.tensor([[0.0, 1.0], [1.0, 0.0]])).sign
    tensor(-1.))",
    .composite = [](const Tensor& a) { return op<"linalg_slogdet", Tensors<2>>(a); },
});
MT_OP(OpDef{
    .schema = {"logdet(Tensor self) -> Tensor"},
    .forms = function | method,
    .doc = R"(Computes the logarithm of the determinant of each square matrix.

A negative determinant gives NaN, a singular matrix -inf; a complex one has the principal value.

Args:
    self (Tensor): ``(*, n, n)``; float32, float64, complex64 or complex128.

Returns:
    Tensor: ``(*)``, in the dtype of `self`.

Example:
    >>> torch.logdet(torch.tensor([[2.0, 0.0], [0.0, 4.0]]))
    tensor(2.0794))",
    .composite = [](const Tensor& a) -> Tensor {
      check_square("logdet", a);
      check_linalg_dtype("logdet", a);
      auto both = op<"linalg_slogdet", Tensors<2>>(a);
      if (is_complex(a.dtype())) return op<"log">(both[0]) + both[1];
      return op<"where">(op<"eq">(both[0], -1), __builtin_nan(""), both[1]);
    },
});

}  // namespace
}  // namespace mt
