// quantile: the values below which given fractions of the elements are; a line with a NaN gives NaN.
#include "rules/reduction/quantiles.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto quantile_at_tensor = [](const Tensor& self, const Tensor& q, std::optional<int64_t> dim, bool keepdim,
                                       Text interpolation) -> Tensor {
  return compute_quantiles(false, self, q, dim, keepdim, interpolation);
};
constexpr auto quantile_at_number = [](const Tensor& self, double q, std::optional<int64_t> dim, bool keepdim,
                                       Text interpolation) -> Tensor {
  return compute_quantiles(false, self, quantile_number(q, self), dim, keepdim, interpolation);
};

MT_OP(OpDef{
    .schema = {"quantile(Tensor self, Tensor q, int? dim=None, bool keepdim=False, *, str interpolation=\"linear\") -> Tensor",
               "quantile.scalar(Tensor self, float q, int? dim=None, bool keepdim=False, *, str interpolation=\"linear\") -> Tensor"},
    .forms = function | method | out,
    .doc = R"(Computes quantiles: the values below which the parts `q` of the elements are.

Of n elements in order the quantile is at position q * (n - 1). Between two elements a and b, a
fraction f on the way, ``"linear"`` gives a + f * (b - a), ``"lower"`` a, ``"higher"`` b,
``"midpoint"`` (a + b) / 2, and ``"nearest"`` the nearer one (halves to the even position). A
line with a NaN gives NaN. The gradient goes to the elements that were taken.

Args:
    self (Tensor): any shape; float32 or float64; not empty.
    q (float or Tensor): the parts, each in [0, 1]; a scalar or one-dimensional tensor of the
        dtype of `self`.
    dim (int, optional): the dimension to reduce. Default: the flattened tensor.
    interpolation (str): ``"linear"``, ``"lower"``, ``"higher"``, ``"midpoint"`` or
        ``"nearest"``. Default: ``"linear"``.

Returns:
    Tensor: without the reduced dimension, and with the size of a one-dimensional `q` in front.

Raises:
    RuntimeError: when `q` is outside [0, 1], `self` empty, or a dtype does not fit.

Example:
    >>> x = torch.tensor([0.0, 1.0, 2.0, 3.0])
    >>> torch.quantile(x, 0.5)
    tensor(1.5000)
    >>> torch.quantile(x, torch.tensor([0.25, 0.4]), interpolation="lower")
    tensor([0., 1.]))",
    .composite = quantile_at_tensor,
    .out_policy = quantile_out,
    .batch = batch_looped,
    .overloads = {overload("scalar", {.composite = quantile_at_number})},
});

}  // namespace
}  // namespace mt
