// linalg_matrix_rank: how many singular values (or absolute eigenvalues) exceed a tolerance.
#include "rules/pointwise/tolerance.h"

namespace mt {
namespace {

// torch allocates one rank per matrix; tolerances with a larger shape resize the result, with a warning.
Tensor rank_of(const Tensor& a, const Tensor& atol, const Tensor& rtol, bool hermitian) {
  const Tensor ranks = empty(batch_of(a), Dtype::int64, a.device());
  if (a.numel() == 0) return op<"zero_">(ranks);
  const Tensor values = hermitian ? op<"abs">(op<"linalg_eigvalsh">(a)) : op<"linalg_svdvals">(a);
  const Tensor largest = hermitian ? op<"amax">(values, IntList{-1}) : op<"select.int">(values, -1, 0);
  const Tensor tolerance = op<"maximum">(atol, rtol * largest);
  const Tensor above = op<"gt">(values, as_column(tolerance));
  return a.is_meta() ? op<"sum.dim_IntList">(above, IntList{-1}) : op<"sum.IntList_out">(above, IntList{-1}, false, std::nullopt, ranks);
}
void check_input(const Tensor& a, const Tensor& atol = Tensor(), const Tensor& rtol = Tensor()) {
  check_matrix("torch.linalg.matrix_rank", a, "input");
  check_tolerance("torch.linalg.matrix_rank", "atol", atol);
  check_tolerance("torch.linalg.matrix_rank", "rtol", rtol);
}

constexpr auto rank_by_tolerance_tensors = [](const Tensor& a, const Tensor& atol, const Tensor& rtol, bool hermitian) -> Tensor {
  check_input(a, atol, rtol);
  const Tolerance t = tolerance_of(a, atol, rtol);
  return rank_of(a, t.atol, t.rtol, hermitian);
};
constexpr auto rank_by_tolerances = [](const Tensor& a, std::optional<double> atol, std::optional<double> rtol, bool hermitian) -> Tensor {
  check_input(a);
  const Tolerance t = tolerance_of(a, make_number_tensor(a, atol), make_number_tensor(a, rtol));
  return rank_of(a, t.atol, t.rtol, hermitian);
};
constexpr auto rank_by_tolerance_tensor = [](const Tensor& a, const Tensor& tol, bool hermitian) -> Tensor {
  check_input(a, tol);
  return rank_of(a, tol, op<"zeros_like">(tol), hermitian);
};
constexpr auto rank_by_tolerance = [](const Tensor& a, double tol, bool hermitian) -> Tensor {
  check_input(a);
  return rank_of(a, make_number_tensor(a, tol), make_number_tensor(a, 0.0), hermitian);
};

MT_OP(OpDef{
    .schema = {"linalg_matrix_rank.atol_rtol_tensor(Tensor input, *, Tensor? atol=None, Tensor? rtol=None, bool "
               "hermitian=False) -> Tensor",
               "linalg_matrix_rank.atol_rtol_float(Tensor self, *, float? atol=None, float? rtol=None, bool "
               "hermitian=False) -> Tensor",
               "linalg_matrix_rank(Tensor self, float tol, bool hermitian=False) -> Tensor",
               "linalg_matrix_rank.tol_tensor(Tensor input, Tensor tol, bool hermitian=False) -> Tensor"},
    .forms = function | out,
    .form_overloads = {{"tol_tensor_out", "out_tol_tensor"}},
    .doc = R"(Computes the rank of each matrix: the number of singular values above max(`atol`, `rtol` * largest).

With `hermitian` the absolute values of eigenvalues count, of which one triangle is read. There
is no gradient.

Args:
    self, input (Tensor): ``(*, m, n)``; float32, float64, complex64 or complex128.
    atol (float or Tensor, optional): the absolute tolerance. Default: ``0``.
    rtol (float or Tensor, optional): the relative tolerance. Default: the dtype's epsilon times
        max(m, n), or 0 where `atol` is above 0.
    tol (float or Tensor): an older name of `atol`, positional.
    hermitian (bool): whether the matrices are Hermitian. Default: ``False``.

Returns:
    Tensor: int64, ``(*)``; tolerances that are tensors broadcast with it.

Example:
    >>> torch.linalg.matrix_rank(torch.tensor([[1.0, 2.0], [2.0, 4.0]]))
    tensor(1))",
    .module = "linalg",
    .composite = rank_by_tolerance,
    .out_policy =
        OutPolicy{
            .dtype_error = "torch.linalg.matrix_rank: Expected result to be safely castable from {} dtype, but got result with dtype {}",
            .device_error =
                "torch.linalg.matrix_rank: Expected result and input tensors to be on the same device, but got result on {1} and input on {0}",
            .recorded_as = "sum",
            .casts = true},
    .overloads = {overload("atol_rtol_tensor", {.composite = rank_by_tolerance_tensors}),
                  overload("atol_rtol_float", {.composite = rank_by_tolerances}),
                  overload("tol_tensor", {.composite = rank_by_tolerance_tensor})},
});

}  // namespace
}  // namespace mt
