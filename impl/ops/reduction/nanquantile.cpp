// nanquantile: the values below which given fractions of the elements are, ignoring NaN.
#include "rules/reduction/quantiles.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto nanquantile_at_tensor = [](const Tensor& self, const Tensor& q, std::optional<int64_t> dim, bool keepdim,
                                          Text interpolation) -> Tensor {
  return compute_quantiles(true, self, q, dim, keepdim, interpolation);
};
constexpr auto nanquantile_at_number = [](const Tensor& self, double q, std::optional<int64_t> dim, bool keepdim,
                                          Text interpolation) -> Tensor {
  return compute_quantiles(true, self, quantile_number(q, self), dim, keepdim, interpolation);
};

MT_OP(OpDef{
    .schema = {"nanquantile(Tensor self, Tensor q, int? dim=None, bool keepdim=False, *, str interpolation=\"linear\") -> Tensor",
               "nanquantile.scalar(Tensor self, float q, int? dim=None, bool keepdim=False, *, str interpolation=\"linear\") -> Tensor"},
    .forms = function | method | out,
    .doc = R"(Computes quantiles of the elements that are not NaN, of all or of each line along `dim`.

As `torch.quantile`, but NaN is left out; NaN alone gives NaN.

Args:
    self (Tensor): any shape; float32 or float64.
    q (float or Tensor): the parts, each in [0, 1]; a scalar or one-dimensional tensor of the
        dtype of `self`.
    dim (int, optional): the dimension to reduce. Default: the flattened tensor.
    interpolation (str): ``"linear"``, ``"lower"``, ``"higher"``, ``"midpoint"`` or
        ``"nearest"``. Default: ``"linear"``.

Returns:
    Tensor: without the reduced dimension, and with the size of a one-dimensional `q` in front.

Example:
    >>> torch.nanquantile(torch.tensor([1.0, float("nan"), 3.0]), 0.5)
    tensor(2.))",
    .composite = nanquantile_at_tensor,
    .out_policy = quantile_out,
    .batch = batch_looped,
    .overloads = {overload("scalar", {.composite = nanquantile_at_number})},
});

}  // namespace
}  // namespace mt
