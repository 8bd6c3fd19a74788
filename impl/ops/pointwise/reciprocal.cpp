// reciprocal: one over each element.
#include "rules/form/algebra.h"
#include "rules/pointwise/complex_loops.h"

namespace mt {
namespace {

constexpr auto reciprocal_of = [](auto x) {
  using T = decltype(x);
  if constexpr (is_complex_type<T>)
    return divide_branch_free(T(1), x);
  else
    return T(1) / x;
};

MT_OP(OpDef{
    .schema = {"reciprocal(Tensor self) -> Tensor"},
    .forms = function | method | inplace | inplace_function | out,
    .doc = R"(Computes 1 / x for each element.

Zeros give infinities of their sign. Integer and bool input is converted to the default float
dtype. The gradient is -1 / x^2.

Args:
    self (Tensor): any shape; floating, complex, integer or bool.

Returns:
    Tensor: shape of `self`; its dtype, or the default float dtype for integer and bool input.

Example:
    >>> torch.reciprocal(torch.tensor([2.0, -4.0, 0.0]))
    tensor([ 0.5000, -0.2500,     inf]))",
    .rule = pointwise(promoting_to_float),
    .cpu = with_halves<reciprocal_of, 1>(elementwise<reciprocal_of, 1, dtypes::floating_and_complex>("reciprocal_cpu")),
    .npu = {"Reciprocal"},
    .autocast = on_npu(Autocast::fp32),
    .grad = {wrt("self", [](Grad g, Out<"result"> y) { return -g * conj(y * y); })},
});

}  // namespace
}  // namespace mt
