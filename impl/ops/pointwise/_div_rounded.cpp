// _div_rounded: the quotient rounded down ('floor') or towards zero ('trunc').
#include "rules/division.h"

namespace mt {
namespace {

const PointwiseKernel* by_rounding(const Call& c) {
  const Text mode = Unbox<Text>::from(c.args[2]);
  const Tensor operands[] = {detail::tensor_of(c.args[0]), detail::tensor_of(c.args[1])};
  check_integer_divisor(operands, 2);
  return mode == "floor" ? floor_division_kernel(operands) : trunc_division_kernel(operands);
}

MT_OP(OpDef{
    .schema = {"_div_rounded.Tensor(Tensor self, Tensor other, str rounding_mode) -> Tensor",
               "_div_rounded.Scalar(Tensor self, Scalar other, str rounding_mode) -> Tensor"},
    .forms = internal,
    .doc = "The quotient rounded down ('floor') or towards zero ('trunc').",
    .rule = pointwise(promoting_with_scalars),
    .cpu = choose(by_rounding),
    .npu = {"DivMod(self, other, rounding_mode=trunc|floor)", "DivMods(self, other, rounding_mode=trunc|floor)"},
    .grad = {wrt("self", [](Grad g) { return op<"zeros_like">(g); }), wrt("other", [](Grad g) { return op<"zeros_like">(g); })},
    .grad_name = "DivBackward2",
});

}  // namespace
}  // namespace mt
