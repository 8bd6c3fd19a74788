// linalg_cond: the condition number of a matrix.
#include <string>

#include "core/messages.h"
#include "rules/reduction/norm.h"

namespace mt {
namespace {

Tensor zeros_for_batch(const Tensor& a) { return op<"zero_">(empty(batch_of(a), real_of(a.dtype()), a.device())); }

// |A| |A^-1|, infinite if there is no inverse.
template <class Order>
Tensor cond_by_inverse(const Tensor& a, const Order& order) {
  auto both = op<"linalg_inv_ex", Tensors<2>>(a);
  const Tensor singular = op<"unsqueeze">(op<"unsqueeze">(op<"gt">(both[1], 0), -1), -1);
  const double inf = __builtin_inf();
  const Tensor inverse = op<"masked_fill">(both[0], singular, inf);
  return op<"nan_to_num">(op<"linalg_matrix_norm">(a, order) * op<"linalg_matrix_norm">(inverse, order), inf, inf, -inf);
}

constexpr auto norm_by_number = [](const Tensor& a, std::optional<Scalar> p) -> Tensor {
  check(a.dim() >= 2, messages::cond_needs_matrix);
  const Scalar given = p.value_or(Scalar(2));
  const double order = given.to_double(), size = order < 0 ? -order : order;
  const std::string text = number_text(given);
  check(!given.is_complex() && (size == 1 || size == 2 || size == __builtin_inf()), messages::cond_norm_is_invalid, text);
  if (a.numel() == 0) return zeros_for_batch(a);
  if (size == 2) {
    const Tensor values = op<"linalg_svdvals">(a);
    const Tensor largest = op<"narrow">(values, -1, 0, 1), smallest = op<"narrow">(values, -1, values.size(-1) - 1, 1);
    return op<"squeeze.dim">(order < 0 ? smallest / largest : largest / smallest, -1);
  }
  const std::string name = "linalg.cond(ord=" + text + ")";
  check_square(name.c_str(), a);
  return cond_by_inverse(a, given);
};
constexpr auto norm_by_name = [](const Tensor& a, Text p) -> Tensor {
  check(a.dim() >= 2, messages::cond_needs_matrix);
  check(p == "fro" || p == "nuc", messages::cond_norm_is_invalid, text_arg(p));
  check_square(p == "fro" ? "linalg.cond(ord=fro)" : "linalg.cond(ord=nuc)", a);
  if (a.numel() == 0) return zeros_for_batch(a);
  if (p == "fro") return cond_by_inverse(a, p);
  const Tensor values = op<"linalg_svdvals">(a);
  return op<"sum.dim_IntList">(values, IntList{-1}) * op<"sum.dim_IntList">(op<"reciprocal">(values), IntList{-1});
};

MT_OP(OpDef{
    .schema = {"linalg_cond(Tensor self, Scalar? p=None) -> Tensor", "linalg_cond.p_str(Tensor self, str p) -> Tensor"},
    .forms = function | out,
    .doc = R"(Computes the condition number of each matrix: |A| |A^-1| in the norm `p`.

None and 2 give the largest singular value over the smallest, -2 the inverse of that, for
matrices of any shape; the other norms need square ones, and give inf for singular matrices.

Args:
    self (Tensor): ``(*, m, n)``; float32, float64, complex64 or complex128.
    p (number or str, optional): ``1``, ``-1``, ``2``, ``-2``, ``inf``, ``-inf``, ``"fro"`` or
        ``"nuc"``. Default: ``2``.

Returns:
    Tensor: ``(*)``; real.

Raises:
    RuntimeError: when `p` is none of these, or the matrices are not square where they have to
        be.

Example:
    >>> torch.linalg.cond(torch.tensor([[2.0, 0.0], [0.0, 4.0]]))
    tensor(2.)
    >>> torch.linalg.cond(torch.tensor([[1.0, 2.0], [2.0, 4.0]]), p=1)
    tensor(inf))",
    .module = "linalg",
    .composite = norm_by_number,
    .out_policy =
        OutPolicy{.dtype_error = "linalg.cond: Expected result to be safely castable from {} dtype, but got result with dtype {}",
                  .device_error =
                      "linalg.cond: Expected result and input tensors to be on the same device, but got result on {1} and input on {0}",
                  .recorded_as = written_as_leaf,
                  .casts = true},
    .overloads = {overload("p_str", {.composite = norm_by_name})},
});

}  // namespace
}  // namespace mt
