// round: to the nearest integer (ties to even), or to a number of decimals.
#include "rules/form/algebra.h"
#include "rules/form/checked.h"
#include "rules/pointwise/pointwise.h"
#include "rules/pointwise/scalar_math.h"
#include "rules/sparse/sparse.h"
#include "vmap/rule.h"

namespace mt {
namespace {

constexpr auto round_of = [](auto x) {
  if constexpr (std::is_integral_v<decltype(x)>)
    return x;
  else
    return std::nearbyint(x);
};

MT_OP(OpDef{
    .schema = {"round(Tensor self) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = R"(Rounds each element to the nearest integer, or to `decimals` decimals.

Halves go to the even neighbour. With `decimals` d the result is round(x * 10^d) / 10^d, so that
numbers that are not exact in binary may go either way at a half; a negative d rounds to tens,
hundreds and so on. Infinities and NaN stay. Bool and complex tensors are refused. The gradient
is 0.

Args:
    self (Tensor): any shape; floating, or integer without decimals.
    decimals (int): how many decimals to keep. Default: ``0``.

Returns:
    Tensor: shape and dtype of `self`.

Example:
    >>> torch.round(torch.tensor([0.5, 1.5, 2.5, -1.7]))
    tensor([ 0.,  2.,  2., -2.])
    >>> torch.round(torch.tensor([1234.567]), decimals=1)
    tensor([1234.6000])
    >>> torch.round(torch.tensor([1234.567]), decimals=-2)
    tensor([1200.]))",
    .aliases = "special_round",
    .rule = rule_after_check(refuse_converting_out, pointwise(promoting)),
    .cpu = elementwise<round_of, 1, dtypes::real>("round_vml_cpu"),
    .npu = {"Round"},
    .sparse = on_values,
    .compressed = on_values,
    .grad = {wrt("self", [](Grad g) { return op<"zeros_like">(g); })},
});

constexpr auto round_to_decimals = [](const Tensor& self, int64_t decimals) -> Tensor {
  BelowAutograd guard;
  if (!is_floating(self.dtype())) not_implemented_for(decimals == 0 ? "round_vml_cpu" : "round_cpu", self.dtype());
  if (decimals == 0) return op<"round">(self);
  const double ten = std::pow(10.0, double(decimals < 0 ? -decimals : decimals));
  return decimals < 0 ? op<"round">(self / ten) * ten : op<"round">(self * ten) / ten;
};
MT_OP(OpDef{
    .schema = {"round.decimals(Tensor self, *, int decimals) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = R"(Rounds each element to the nearest integer, or to `decimals` decimals.

Halves go to the even neighbour. With `decimals` d the result is round(x * 10^d) / 10^d, so that
numbers that are not exact in binary may go either way at a half; a negative d rounds to tens,
hundreds and so on. Infinities and NaN stay. Bool and complex tensors are refused. The gradient
is 0.

Args:
    self (Tensor): any shape; floating, or integer without decimals.
    decimals (int): how many decimals to keep. Default: ``0``.

Returns:
    Tensor: shape and dtype of `self`.

Example:
    >>> torch.round(torch.tensor([0.5, 1.5, 2.5, -1.7]))
    tensor([ 0.,  2.,  2., -2.])
    >>> torch.round(torch.tensor([1234.567]), decimals=1)
    tensor([1234.6000])
    >>> torch.round(torch.tensor([1234.567]), decimals=-2)
    tensor([1200.]))",
    .cpu = round_to_decimals,
    .npu = {any_device},
    .meta = round_to_decimals,
    .grad = {wrt("self", [](Grad g) { return op<"zeros_like">(g); })},
    .grad_name = "RoundBackward1",
    .out_policy = OutPolicy{.dtype_error = "Found dtype {1} but expected {0}", .takes_strides = true},
    .batch = batch_aligned,
});

}  // namespace
}  // namespace mt
