// div: `self` / `other`; integers divide in the default float dtype.
#include "rules/pointwise/division.h"
#include "rules/pointwise/pointwise_rows.h"
#include "rules/sparse/sparse_pointwise.h"

namespace mt {
namespace {

constexpr auto quotient_of = [](auto a, auto b) { return a / b; };
const PointwiseKernel& true_division_kernel() {
  static const PointwiseKernel kernel = with_rows<quotient_of, 2, dtypes::floating>(
      with_halves<quotient_of, 2>(elementwise<quotient_of, 2, dtypes::floating_and_complex>("div_cpu")));
  return kernel;
}

// Multiplies before it divides, so that the result of a division by zero keeps its sign.
Tensor quotient_tangent(const Tensor& at, const Tensor& bt, const Tensor& b, const Tensor& y) {
  if (!bt.defined()) return at / b;
  return (at.defined() ? at - bt * y : -(bt * y)) / b;
}

MT_OP(OpDef{
    .schema = {"div.Tensor(Tensor self, Tensor other) -> Tensor", "div.Scalar(Tensor self, Scalar other) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = R"(Computes `self` / `other`, element by element, rounded as `rounding_mode` says.

Without a mode the division is true: integers divide in the default float dtype. ``"trunc"``
rounds the quotient towards zero, ``"floor"`` down; both keep integer dtypes. Floating division
by zero follows IEEE 754 (inf or NaN). The tensors broadcast and their dtypes are promoted. With
a mode the gradients are 0; without, 1 / `other` and -`self` / `other`^2.

Args:
    self (Tensor): the dividend.
    other (Tensor or number): the divisor.
    rounding_mode (str, optional): None, ``"trunc"`` or ``"floor"``. Default: ``None``.

Returns:
    Tensor: the broadcast shape, in the promoted dtype, floating without a mode.

Raises:
    RuntimeError: when integers are divided by zero with a mode, or the mode is unknown.

Example:
    >>> torch.div(torch.tensor([7, -7]), 2)
    tensor([ 3.5000, -3.5000])
    >>> torch.div(torch.tensor([7, -7]), 2, rounding_mode="trunc")
    tensor([ 3, -3])
    >>> torch.div(torch.tensor([7, -7]), 2, rounding_mode="floor")
    tensor([ 3, -4]))",
    .aliases = "divide true_divide __truediv__ __div__",
    .inplace_aliases = "__itruediv__ __idiv__",
    .traits = MT_OP_NUMBERS_AS_TENSORS,
    .rule = pointwise(scaling_to_float),
    .cpu = true_division_kernel(),
    .npu = {"Div", "Divs"},
    .sparse = [](const Call& c) -> Tensor {
      return sparse_quotient(c, "division", /*rounded=*/false,
                             [](const Call&, const Tensor& values, const Tensor& divisor) { return values / divisor; });
    },
    .grad = {wrt("self", [](Grad g, In<"other"> b) { return g / conj(b); }),
             wrt("other", [](Grad g, In<"other"> b, In<"self"> a) { return -g * conj((a / b) / b); })},
    .jvp = forward([](Tangent<"self"> at, Tangent<"other"> bt, In<"other"> b, Out<"result"> y) { return quotient_tangent(at, bt, b, y); }),
    .overloads = {overload(
        "Scalar", {.forms = function | method | inplace, .grad_name = "DivBackward1", .out_policy = OutPolicy{.takes_strides = true}})},
});

const PointwiseKernel* choose_rounding_kernel(const Call& c) {
  const auto mode = Unbox<std::optional<Text>>::from(c.args[2]);
  if (!mode) return &true_division_kernel();
  check(*mode == "floor" || *mode == "trunc", "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{}'",
        text_arg(*mode));
  const Tensor operands[] = {detail::tensor_of(c.args[0]), detail::tensor_of(c.args[1])};
  check_integer_divisor(c, operands);
  return *mode == "floor" ? floor_division_kernel(operands) : trunc_division_kernel(operands);
}

MT_OP(OpDef{
    .schema = {"div.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor",
               "div.Scalar_mode(Tensor self, Scalar other, *, str? rounding_mode) -> Tensor"},
    .forms = function | method | inplace | out,
    .form_overloads = {{"Tensor_mode_out", "out_mode"}},
    .doc = R"(Computes `self` / `other`, element by element, rounded as `rounding_mode` says.

Without a mode the division is true: integers divide in the default float dtype. ``"trunc"``
rounds the quotient towards zero, ``"floor"`` down; both keep integer dtypes. Floating division
by zero follows IEEE 754 (inf or NaN). The tensors broadcast and their dtypes are promoted. With
a mode the gradients are 0; without, 1 / `other` and -`self` / `other`^2.

Args:
    self (Tensor): the dividend.
    other (Tensor or number): the divisor.
    rounding_mode (str, optional): None, ``"trunc"`` or ``"floor"``. Default: ``None``.

Returns:
    Tensor: the broadcast shape, in the promoted dtype, floating without a mode.

Raises:
    RuntimeError: when integers are divided by zero with a mode, or the mode is unknown.

Example:
    >>> torch.div(torch.tensor([7, -7]), 2)
    tensor([ 3.5000, -3.5000])
    >>> torch.div(torch.tensor([7, -7]), 2, rounding_mode="trunc")
    tensor([ 3, -3])
    >>> torch.div(torch.tensor([7, -7]), 2, rounding_mode="floor")
    tensor([ 3, -4]))",
    .aliases = "divide",
    .traits = MT_OP_NUMBERS_AS_TENSORS,
    .rule = pointwise(scaling_to_float),
    .cpu = choose(choose_rounding_kernel),
    .npu = {"DivMod(self, other, rounding_mode=trunc|floor)", "DivMods(self, other, rounding_mode=trunc|floor)"},
    .sparse = [](const Call& c) -> Tensor {
      return sparse_quotient(c, "division", /*rounded=*/c.args[2].tag != MT_TAG_NONE,
                             [](const Call& call, const Tensor& values, const Tensor& divisor) {
                               return op<"div.Tensor_mode">(values, divisor, call.args[2]);
                             });
    },
    .grad = {wrt("self", [](Grad g, In<"other"> b,
                            In<"rounding_mode", std::optional<Text>> mode) { return *mode ? op<"zeros_like">(g) : g / conj(b); }),
             wrt("other",
                 [](Grad g, In<"other"> b, In<"self"> a, In<"rounding_mode", std::optional<Text>> mode) {
                   return *mode ? op<"zeros_like">(g) : -g * conj((a / b) / b);
                 })},
    .grad_name = "DivBackward2",
    .jvp = forward([](Tangent<"self"> at, Tangent<"other"> bt, In<"other"> b, In<"rounding_mode", std::optional<Text>> mode,
                      Out<"result"> y) { return *mode ? op<"zeros_like">(y) : quotient_tangent(at, bt, b, y); }),
    .overloads = {overload("Scalar_mode", {.forms = function | method | inplace,
                                           .grad_name = "DivBackward3",
                                           .out_policy = OutPolicy{.takes_strides = true}})},
});

}  // namespace
}  // namespace mt
