// div: the quotient of two tensors: true, or rounded down or towards zero.
#include "rules/division.h"

namespace mt {
namespace {

constexpr auto quotient = [](auto a, auto b) { return a / b; };

MT_OP(OpDef{
    .schema = {"div.Tensor(Tensor self, Tensor other) -> Tensor", "div.Scalar(Tensor self, Scalar other) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = "`self` / `other`; integers divide in the default float dtype.",
    .aliases = "divide true_divide __truediv__ __div__",
    .inplace_aliases = "__itruediv__ __idiv__",
    .traits = MT_OP_NUMBERS_AS_TENSORS,
    .rule = pointwise({Promotion::to_float, true}),
    .cpu = elementwise<quotient, 2, dtypes::floating_and_complex>("div_true_cpu"),
    .grad = {wrt("self", [](Grad g, In<"other"> b) { return g / conj(b); }),
             wrt("other", [](Grad g, In<"other"> b, In<"self"> a) { return -g * conj((a / b) / b); })},
    .overloads = {overload("Scalar", {.grad_name = "DivBackward1"})},
});

constexpr auto floored = [](auto a, auto b) { return divide_floor(a, b); };
constexpr auto truncated = [](auto a, auto b) { return divide_trunc(a, b); };

const PointwiseKernel* by_rounding(const Call& c) {
  const Text mode = Unbox<Text>::from(c.args[2]);
  const Tensor operands[] = {detail::tensor_of(c.args[0]), detail::tensor_of(c.args[1])};
  check_integer_divisor(operands, 2);
  return mode == "floor" ? kernel_of<floored, 2, dtypes::real>("div_floor_cpu") : kernel_of<truncated, 2, dtypes::real>("div_trunc_cpu");
}

// Without rounding it is div.Tensor.
constexpr auto with_mode = [](const Tensor& self, const Value& other, const std::optional<Text>& mode) -> Tensor {
  if (!mode) return op<"div">(self, other);
  check(*mode == "floor" || *mode == "trunc", "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{}'", text_arg(*mode));
  return op<"_div_rounded">(self, other, *mode);
};

MT_OP(OpDef{
    .schema = {"div.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor",
               "div.Scalar_mode(Tensor self, Scalar other, *, str? rounding_mode) -> Tensor"},
    .forms = function | method | inplace | out,
    .doc = "`self` / `other`, rounded as `rounding_mode` says: None, 'trunc' or 'floor'.",
    .aliases = "divide",
    .traits = MT_OP_NUMBERS_AS_TENSORS,
    .composite = with_mode,
});

MT_OP(OpDef{
    .schema = {"_div_rounded.Tensor(Tensor self, Tensor other, str rounding_mode) -> Tensor",
               "_div_rounded.Scalar(Tensor self, Scalar other, str rounding_mode) -> Tensor"},
    .forms = function,
    .doc = "The quotient rounded down ('floor') or towards zero ('trunc').",
    .rule = pointwise(promoting_with_scalars),
    .cpu = choose(by_rounding),
    .grad = {wrt("self", [](Grad g) { return op<"zeros_like">(g); }), wrt("other", [](Grad g) { return op<"zeros_like">(g); })},
    .grad_name = "DivBackward2",
});

}  // namespace
}  // namespace mt
