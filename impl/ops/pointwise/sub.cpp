// sub: the difference of two tensors, the second times `alpha`.
#include "core/messages.h"
#include "rules/pointwise/alpha.h"
#include "rules/pointwise/narrow_dtypes.h"
#include "rules/pointwise/pointwise_rows.h"
#include "rules/sparse/sparse_pointwise.h"

namespace mt {
namespace {

constexpr auto difference_of = [](auto a, auto b) { return a - b; };
constexpr auto scaled_difference_of = [](auto a, auto b, auto alpha) { return a - alpha * b; };

void refuse_bool_operands(const Call& c) {
  const bool first = detail::tensor_of(c.args[0]).dtype() == Dtype::boolean;
  const bool second = detail::tensor_of(c.args[1]).dtype() == Dtype::boolean;
  check(!(first && second),
        "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` operator instead.");
  check(!first && !second, messages::subtraction_of_bools);
}

const PointwiseKernel* choose_kernel(const Call& c) {
  refuse_bool_operands(c);
  static const PointwiseKernel difference = with_rows<difference_of, 2>(with_rows_of_second<difference_of, float32_and_int64>(
      with_halves<difference_of, 2>(elementwise<difference_of, 2, dtypes::numbers | dtypes::complex_half>("add_stub"))));
  return adds_without_alpha_product(c)
             ? &difference
             : check_alpha_and_return(c, kernel_of<scaled_difference_of, 3, dtypes::numbers | dtypes::complex_half>("add_stub"));
}

Scalar negate_scalar(const Scalar& x) {
  if (x.is_complex()) return Scalar(Complex<double>(-x.to_complex().re, -x.to_complex().im));
  return x.is_real() ? Scalar(-x.to_double()) : Scalar(-x.to_int());
}

MT_OP(OpDef{
    .schema = {"sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
               "sub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = R"(Computes `self` - `alpha` * `other`, element by element.

The tensors broadcast and their dtypes are promoted. Integer overflow wraps around.

Args:
    self (Tensor): what to subtract from; not bool.
    other (Tensor or number): what to subtract; not bool.
    alpha (number): factor of `other`; an integer when both are integers. Default: ``1``.

Returns:
    Tensor: the broadcast shape, in the promoted dtype.

Raises:
    RuntimeError: when either is bool; for masks use ``^``.

Example:
    >>> torch.sub(torch.tensor([10, 20]), torch.tensor([1, 2]), alpha=3)
    tensor([ 7, 14]))",
    .aliases = "subtract __sub__",
    .inplace_aliases = "__isub__",
    .deprecated_signatures = "sub(Tensor input, Number alpha, Tensor other)",
    .traits = MT_OP_NUMBERS_AS_TENSORS,
    .rule = pointwise(promoting_with_scalars),
    .cpu = choose(choose_kernel),
    .npu = {"Sub", "Subs"},
    .sparse = [](const Call& c) -> Tensor {
      refuse_bool_operands(c);
      return sparse_sum(c, negate_scalar(Scalar::of_value(c.args[2])));
    },
    .grad = {wrt("self", [](Grad g) { return Tensor(g); }),
             wrt("other", [](Grad g, In<"alpha", Scalar> alpha) { return -multiply_by_conj(g, alpha); })},
    .overloads = {overload(
        "Scalar", {.forms = function | method | inplace, .grad_name = "SubBackward1", .out_policy = OutPolicy{.takes_strides = true}})},
});

}  // namespace
}  // namespace mt
