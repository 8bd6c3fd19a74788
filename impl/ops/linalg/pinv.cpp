// linalg_pinv, pinverse: the pseudo-inverse (Moore and Penrose).
#include "rules/pointwise/tolerance.h"

namespace mt {
namespace {

void check_input(const Tensor& a) {
  check(a.dim() >= 2 && is_differentiable(a.dtype()) && !is_half(a.dtype()),
        "linalg.pinv({}{{}}): expected a tensor with 2 or more dimensions of float, double, cfloat or cdouble types", a.dtype(), a.sizes());
}

// Inverts large singular values and drops small ones.
Tensor invert_singular_values(const Tensor& values, const Tensor& sizes, const Tensor& largest, const Tolerance& t) {
  const Tensor limit = op<"maximum">(as_column(t.atol), as_column(t.rtol) * largest);
  return op<"where">(op<"gt">(sizes, limit), op<"reciprocal">(values), op<"zeros">(IntList{}, values.dtype(), nullptr, values.device()));
}
Tensor pseudo_inverse(const Tensor& a, const Tensor& atol, const Tensor& rtol, bool hermitian) {
  check_input(a);
  check_tolerance("torch.linalg.pinv", "atol", atol);
  check_tolerance("torch.linalg.pinv", "rtol", rtol);
  if (a.numel() == 0) {
    check(!hermitian || a.size(-1) == a.size(-2), "linalg.eigh: A must be batches of square matrices, but they are {} by {} matrices",
          a.size(-2), a.size(-1));
    return empty(sizes_of_matrices(batch_of(a), a.size(-1), a.size(-2)), a.dtype(), a.device());
  }
  const Tolerance t = tolerance_of(a, atol, rtol);
  if (!hermitian) {
    auto parts = op<"linalg_svd", Tensors<3>>(a, false);
    const Tensor inverse = invert_singular_values(parts[1], parts[1], op<"narrow">(parts[1], -1, 0, 1), t);
    return op<"matmul">(adjoint(parts[2]) * as_row(inverse), adjoint(parts[0]));
  }
  auto parts = op<"linalg_eigh", Tensors<2>>(a);
  const Tensor sizes = op<"abs">(parts[0]);
  const Tensor inverse = invert_singular_values(parts[0], sizes, op<"amax">(sizes, IntList{-1}, true), t);
  return op<"matmul">(parts[1] * as_row(inverse), adjoint(parts[1]));
}

// Golub and Pereyra, 1973: with P = A^+, dP = -P dA P + P P^H dA^H (I - A P) + (I - P A) dA^H P^H P.
Tensor differentiate_pinv(const Tensor& g, const Tensor& p, const Tensor& a) {
  const Tensor ph = adjoint(p), gh = adjoint(g);
  const Tensor left = op<"matmul">(gh - op<"matmul">(a, op<"matmul">(p, gh)), op<"matmul">(p, ph));
  const Tensor right = op<"matmul">(op<"matmul">(ph, p), gh - op<"matmul">(op<"matmul">(gh, p), a));
  return left + right - op<"matmul">(ph, op<"matmul">(g, ph));
}

constexpr auto compute_pinv = [](const Tensor& a, const Tensor& atol, const Tensor& rtol, bool hermitian) -> Tensor {
  BelowAutograd guard;
  return pseudo_inverse(a, atol, rtol, hermitian);
};
constexpr auto infer_pinv_shape = [](const Tensor& a, const Tensor&, const Tensor&, bool) -> Tensor {
  check_input(a);
  return empty(sizes_of_matrices(batch_of(a), a.size(-1), a.size(-2)), a.dtype(), a.device());
};
constexpr auto pinv_by_tolerances = [](const Tensor& a, std::optional<double> atol, std::optional<double> rtol, bool hermitian) -> Tensor {
  return op<"linalg_pinv.atol_rtol_tensor">(a, make_number_tensor(a, atol), make_number_tensor(a, rtol), hermitian);
};
constexpr auto pinv_by_rcond = [](const Tensor& a, double rcond, bool hermitian) -> Tensor {
  return op<"linalg_pinv.atol_rtol_tensor">(a, make_number_tensor(a, 0.0), make_number_tensor(a, rcond), hermitian);
};
constexpr auto pinv_by_rcond_tensor = [](const Tensor& a, const Tensor& rcond, bool hermitian) -> Tensor {
  check_tolerance("torch.linalg.pinv", "rcond", rcond);
  return op<"linalg_pinv.atol_rtol_tensor">(a, make_number_tensor(a, 0.0), rcond, hermitian);
};

MT_OP(OpDef{
    .schema = {"linalg_pinv.atol_rtol_tensor(Tensor self, *, Tensor? atol=None, Tensor? rtol=None, bool "
               "hermitian=False) -> Tensor",
               "linalg_pinv.atol_rtol_float(Tensor self, *, float? atol=None, float? rtol=None, bool hermitian=False) "
               "-> Tensor",
               "linalg_pinv(Tensor self, float rcond, bool hermitian=False) -> Tensor",
               "linalg_pinv.rcond_tensor(Tensor self, Tensor rcond, bool hermitian=False) -> Tensor"},
    .forms = function | out,
    .form_overloads = {{"rcond_tensor_out", "out_rcond_tensor"}},
    .doc = R"(Computes the pseudo-inverse of each matrix (Moore and Penrose), by its singular values.

Singular values up to max(`atol`, `rtol` * largest) count as 0, the others are inverted. With
`hermitian` eigenvalues take their part. The gradient is that of Golub and Pereyra (1973), and
needs the rank to stay.

Args:
    self (Tensor): ``(*, m, n)``; float32, float64, complex64 or complex128.
    atol (float or Tensor, optional): the absolute tolerance. Default: ``0``.
    rtol (float or Tensor, optional): the relative tolerance. Default: the dtype's epsilon times
        max(m, n), or 0 where `atol` is above 0.
    rcond (float or Tensor): an older name of `rtol`, positional.
    hermitian (bool): whether the matrices are Hermitian. Default: ``False``.

Returns:
    Tensor: ``(*, n, m)``.

Raises:
    RuntimeError: when `self` is no matrix or has another dtype.

Example:
    >>> torch.linalg.pinv(torch.tensor([[2.0, 0.0], [0.0, 0.0]]))
    tensor([[0.5000, 0.0000],
            [0.0000, 0.0000]]))",
    .module = "linalg",
    .out_policy =
        OutPolicy{.dtype_error = "linalg.pinv: Expected result to be safely castable from {} dtype, but got result with dtype {}",
                  .device_error =
                      "linalg.pinv: Expected result and input tensors to be on the same device, but got result on {1} and input on {0}",
                  .casts = true},
    .overloads = {overload("atol_rtol_tensor",
                           {.cpu = compute_pinv,
                            .meta = infer_pinv_shape,
                            .grad = {wrt("self", [](Grad g, Out<"result"> p, In<"self"> a) { return differentiate_pinv(g, p, a); })}}),
                  overload("atol_rtol_float", {.composite = pinv_by_tolerances}), overload("", {.composite = pinv_by_rcond}),
                  overload("rcond_tensor", {.composite = pinv_by_rcond_tensor})},
});
MT_OP(OpDef{
    .schema = {"pinverse(Tensor self, float rcond=1e-15) -> Tensor"},
    .forms = function | method,
    .doc = R"(Computes the pseudo-inverse of each matrix. It is an older name of `torch.linalg.pinv`.

Args:
    self (Tensor): ``(*, m, n)``; float32, float64, complex64 or complex128.
    rcond (float): singular values up to `rcond` times the largest count as 0. Default:
        ``1e-15``.

Returns:
    Tensor: ``(*, n, m)``.

Example:
    >>> torch.pinverse(torch.tensor([[2.0, 0.0], [0.0, 4.0]]))
    tensor([[0.5000, 0.0000],
            [0.0000, 0.2500]]))",
    .composite = [](const Tensor& a, double rcond) -> Tensor { return op<"linalg_pinv">(a, rcond, false); },
});

}  // namespace
}  // namespace mt
