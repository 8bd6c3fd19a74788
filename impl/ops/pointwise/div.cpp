// div: `self` / `other`; integers divide in the default float dtype.
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
    .npu = {"Div", "Divs"},
    .grad = {wrt("self", [](Grad g, In<"other"> b) { return g / conj(b); }),
             wrt("other", [](Grad g, In<"other"> b, In<"self"> a) { return -g * conj((a / b) / b); })},
    .overloads = {overload("Scalar", {.forms = function | method | inplace, .grad_name = "DivBackward1"})},
});

// Without rounding it is div.Tensor.
constexpr auto with_mode = [](const Tensor& self, const Value& other, const std::optional<Text>& mode) -> Tensor {
  if (!mode) return op<"div">(self, other);
  check(*mode == "floor" || *mode == "trunc", "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{}'",
        text_arg(*mode));
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
    .overloads = {overload("Scalar_mode", {.forms = function | method | inplace})},
});

}  // namespace
}  // namespace mt
